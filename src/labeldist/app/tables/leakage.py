"""Detection of features that reveal the labels, such as copies of a label or columns of votes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from labeldist.app.tables.column_kinds import ColumnKind, TableKinds, to_numbers
from labeldist.app.types import Array
from labeldist.utils import require

MAX_SHARE = 0.98  # A feature that explains more of the variance of a label reveals it.
COPY_ERROR = 0.01  # of the range of the degrees, since copies may be rounded
MIN_ROWS = 20  # Fewer rows can be ordered like a label by chance.
SAMPLE_ROWS = 2_000
# A column gives the largest labels if fewer rows differ, relative to those that differ by chance.
MAX_WRONG = 0.05
MIN_DIFFERENT = 10  # Numbers such as 0 and 1 agree by chance if fewer rows are expected to differ.
FEW_VALUES = 0.1  # distinct values of a feature, as a share of the rows
ROUNDING = 1e-12  # Degrees with a smaller variance, relative to their squares, are equal.
# Words that turn the name of a label into the name of a column derived from it.
DERIVED = {"count", "counts", "degree", "degrees", "hard", "label", "labels", "prob"}
DERIVED |= {"probability", "share", "shares", "soft", "vote", "votes"}
HOLDS_LABELS = re.compile(r"(gold|hard|majority|soft)labels?\d*")


class Leak(NamedTuple):
    """A feature that reveals a label: it is equal to it, is named after it, or predicts it.

    Without a label, it says which label is the largest in each row.
    """

    feature: str
    label: str | None
    by_name: bool = False
    is_copy: bool = False

    @property
    def finding(self) -> str:
        """What was found, for a message."""
        if self.label is None:
            return "says which label is the largest"
        if self.is_copy:
            return f"equals the label {self.label!r}"
        if self.by_name:
            return "is named after the labels"
        return f"predicts the label {self.label!r} almost perfectly by itself"


def find_leaks(kinds: TableKinds, features: Sequence[str], Y: Any) -> list[Leak]:
    """Return the features that reveal a label; see `Leak`."""
    degrees = Y.to_numpy(np.float64)
    rows = np.arange(len(degrees))
    if len(rows) > SAMPLE_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, SAMPLE_ROWS, replace=False))
    sums = degrees.sum(axis=1, keepdims=True)
    shares = np.divide(degrees, sums, out=np.zeros_like(degrees), where=sums > 0)
    targets = [degrees, shares]
    sampled = [target[rows] for target in targets]
    leaks = []
    for name in features:
        named = next((label for label in Y.columns if is_named_after(name, label)), None)
        copied = _copied_label(kinds[name], targets, rows, is_named=named is not None)
        if copied is not None:
            leaks.append(Leak(name, Y.columns[copied], is_copy=True))
        elif _says_largest_label(kinds, name, list(Y.columns), sampled[0], rows):
            leaks.append(Leak(name, None, is_copy=True))
        elif named is not None:
            leaks.append(Leak(name, named, by_name=True))
        else:
            revealed = _revealed_label(kinds, name, sampled, rows)
            if revealed is not None:
                leaks.append(Leak(name, Y.columns[revealed]))
    return leaks


def _copied_label(
    found: ColumnKind, targets: Sequence[Array], rows: Any, *, is_named: bool
) -> int | None:
    """Return the position of the label whose degrees a column of numbers has, but for a factor.

    A column with few filled cells must be named after a label.
    """
    if found.kind not in ("number", "truth"):
        return None
    filled = ~found.missing
    if filled.sum() < MIN_ROWS and not is_named:
        return None
    sampled = rows[filled[rows]]
    for target in targets:
        # Most columns differ from the labels in the sample already.
        if _proportional(found.values[sampled], target[sampled]).any():
            equal = _proportional(found.values[filled], target[filled])
            if equal.any():
                return int(equal.argmax())
    return None


def _proportional(values: Array, Y: Array) -> Any:
    """Return whether a multiple of the values is equal to each column of Y, but for rounding."""
    if not values.any():
        return np.zeros(Y.shape[1], dtype=bool)
    factors = values @ Y / (values @ values)
    errors = np.abs(np.outer(values, factors) - Y).max(axis=0)
    return (errors < COPY_ERROR * np.ptp(Y, axis=0)) & (factors > 0)


def _says_largest_label(
    kinds: TableKinds, name: str, labels: Sequence[str], degrees: Array, rows: Any
) -> bool:
    """Return whether a column gives the name or the number of the largest label in most rows.

    Rows in which all degrees are equal do not count.
    """
    is_largest = degrees == degrees.max(axis=1, keepdims=True)
    is_judged = ~kinds[name].missing[rows] & ~is_largest.all(axis=1)
    if is_judged.sum() < MIN_ROWS:
        return False
    kind = kinds[name].kind
    judged = rows[is_judged]
    is_largest = is_largest[is_judged]
    plain = _plain_names(labels, labels)
    if kind in ("number", "truth"):
        values = kinds[name].values[judged]
        numbers = to_numbers(require("pandas", "app").Series(plain, dtype=object))
        named = [np.arange(len(labels)), np.arange(len(labels)) + 1, numbers]
        if any(_agrees(values[:, None] == one, is_largest, MIN_DIFFERENT) for one in named):
            return True
    if kind in ("category", "text", "truth"):
        cells = np.array(_plain_names(kinds.frame[name].iloc[judged], labels))
        return _agrees(cells[:, None] == np.array(plain), is_largest, 0)
    return False


def _agrees(is_named: Any, is_largest: Any, needed: float) -> bool:
    """Return whether the named labels of the rows are the largest ones, much beyond chance.

    By chance, more than `needed` rows must differ.
    """
    wrong = 1 - (is_named & is_largest).any(axis=1).mean()
    by_chance = 1 - is_named.mean(axis=0) @ is_largest.mean(axis=0)
    return bool(by_chance * len(is_named) > needed and wrong < MAX_WRONG * by_chance)


def _plain_names(cells: Iterable[Any], labels: Sequence[str]) -> list[str]:
    """Return names in lower case, without the words that all labels have: emotion_joy is joy."""
    words_of = [_words(label) for label in labels]
    common = set.intersection(*map(set, words_of))
    kept = [" ".join(word for word in words if word not in common) for words in words_of]
    if "" in kept or len(set(kept)) < len(kept):  # such as -1 and 1
        return [str(cell).strip().casefold() for cell in cells]
    return [" ".join(word for word in _words(cell) if word not in common) for cell in cells]


def _revealed_label(
    kinds: TableKinds, name: str, targets: Sequence[Array], rows: Any
) -> int | None:
    """Return the position of the label that a column of numbers or categories explains."""
    filled = np.flatnonzero(~kinds[name].missing[rows])
    codes = _codes(kinds, name, rows[filled])
    if codes is None:
        return None
    kept = _without_repetitions(codes, targets[0][filled])
    if len(kept) < MIN_ROWS:
        return None
    of_kept = filled[kept]
    explained = np.max(
        [explained_variance(codes[kept], target[of_kept]) for target in targets], axis=0
    )
    return int(explained.argmax()) if explained.max() > MAX_SHARE else None


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


def _codes(kinds: TableKinds, name: str, rows: Any) -> Array | None:
    """Return filled cells of numbers and categories as numbers; None for other columns."""
    found = kinds[name]
    if found.kind in ("number", "truth"):
        return found.values[rows]
    if found.kind == "category":
        cells = kinds.frame[name].iloc[rows]
        codes, _ = require("pandas", "app").factorize(cells.astype(str))
        return np.asarray(codes, dtype=np.float64)
    return None


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", str(name).casefold())
