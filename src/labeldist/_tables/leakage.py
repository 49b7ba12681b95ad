"""Detection of features that reveal the labels, such as copies of a label or columns of votes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from labeldist._extras import require
from labeldist._tables.column_kinds import is_missing, kind_of
from labeldist._typing import Array

MAX_SHARE = 0.98  # A feature that explains more of the variance of a label reveals it.
MIN_ROWS = 20  # Fewer rows can be ordered like a label by chance.
SAMPLE_ROWS = 2_000
FEW_VALUES = 0.1  # distinct values of a feature, as a share of the rows
ROUNDING = 1e-12  # Degrees with a smaller variance, relative to their squares, are equal.
# Words that turn the name of a label into the name of a column derived from it.
DERIVED = {"count", "counts", "degree", "degrees", "hard", "label", "labels", "prob"}
DERIVED |= {"probability", "share", "shares", "soft", "vote", "votes"}
HOLDS_LABELS = re.compile(r"(gold|hard|majority|soft)labels?\d*")


class Leak(NamedTuple):
    """A feature that reveals a label, and whether its name shows it; otherwise its values do."""

    feature: str
    label: str
    by_name: bool


def find_leaks(frame: Any, features: Sequence[str], Y: Any) -> list[Leak]:
    """Return the features that are named after a label, or predict it almost perfectly alone."""
    random = np.random.default_rng(0)
    rows = np.arange(len(frame))
    if len(rows) > SAMPLE_ROWS:
        rows = np.sort(random.choice(rows, SAMPLE_ROWS, replace=False))
    degrees = Y.to_numpy(np.float64)[rows]
    sums = degrees.sum(axis=1, keepdims=True)
    shares = np.divide(degrees, sums, out=np.zeros_like(degrees), where=sums > 0)
    leaks = []
    for name in features:
        label = next((label for label in Y.columns if is_named_after(name, label)), None)
        if label is not None:
            leaks.append(Leak(name, label, by_name=True))
            continue
        cells = frame[name].iloc[rows]
        filled = np.flatnonzero(~is_missing(cells))
        codes = _codes(cells.iloc[filled])
        if codes is None:
            continue
        kept = _without_repetitions(codes, degrees[filled])
        if len(kept) < MIN_ROWS:
            continue
        of_kept = filled[kept]
        explained = np.maximum(
            explained_variance(codes[kept], degrees[of_kept]),
            explained_variance(codes[kept], shares[of_kept]),
        )
        if explained.max() > MAX_SHARE:
            leaks.append(Leak(name, Y.columns[explained.argmax()], by_name=False))
    return leaks


def _without_repetitions(codes: Array, degrees: Array) -> Any:
    """Return the rows, each once if a table contains items several times.

    If a feature has few values, equal rows are different items.
    """
    if len(np.unique(codes)) <= FEW_VALUES * len(codes):
        return np.arange(len(codes))
    _, first = np.unique(np.column_stack([codes, degrees]), axis=0, return_index=True)
    return first


def is_named_after(feature: str, label: str) -> bool:
    """Return whether a column is named like hard_label, or after a label: votes_joy."""
    words = _words(feature)
    if HOLDS_LABELS.fullmatch("".join(words)):
        return True
    if "label" in words and {"hard", "soft"} & set(words):
        return True
    of_label = _words(label)
    for start in range(len(words) - len(of_label) + 1):
        end = start + len(of_label)
        rest = words[:start] + words[end:]
        if of_label and words[start:end] == of_label and DERIVED.issuperset(rest):
            return True
    return False


def explained_variance(values: Array, Y: Array) -> Array:
    """Return the share of the variance of each column of Y that a feature explains out of fold.

    Each row is predicted without itself: by the mean of the rows with the same value, or, if there
    are none, by the mean of the rows with the next smaller and the next larger value.
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), Y.shape[1]))
    np.add.at(sums, group, Y)
    total = ((Y - Y.mean(axis=0)) ** 2).sum(axis=0)
    if len(sizes) < 2:
        return np.zeros(Y.shape[1])
    padded = np.pad(np.column_stack([sums, sizes]), ((1, 1), (0, 0)))
    beside = padded[:-2] + padded[2:]
    of_others = np.column_stack([sums, sizes])[group] - np.column_stack([Y, np.ones(len(Y))])
    is_alone = sizes[group] == 1
    of_others[is_alone] = beside[group[is_alone]]
    predicted = of_others[:, :-1] / of_others[:, -1:]
    errors = ((Y - predicted) ** 2).sum(axis=0)
    varies = total > ROUNDING * (Y**2).sum(axis=0)
    explained = 1 - np.divide(errors, total, out=np.ones_like(total), where=varies)
    return np.asarray(explained)


def _codes(cells: Any) -> Array | None:
    """Return filled cells of numbers and categories as numbers; None for other columns."""
    found = kind_of(cells)
    if found.kind in ("number", "truth"):
        return found.values
    if found.kind == "category":
        codes, _ = require("pandas", "app").factorize(cells.astype(str))
        return np.asarray(codes, dtype=np.float64)
    return None


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", str(name).casefold())
