"""Data sets of the experiments, and the rules that make logical labels from distributions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from labeldist.datasets import binarize, load_dataset, make_artificial

ARTIFICIAL = re.compile(r"artificial_([1-9]\d{0,6})")
"""``artificial_300`` are 300 rows of the artificial set of the literature."""


@lru_cache(maxsize=2)
def load(name: str) -> tuple[Any, Any]:
    """Return features and distributions of a data set.

    They are cached, because workers often get runs on the same set in succession.
    """
    found = ARTIFICIAL.fullmatch(name)
    if found:
        return make_artificial(int(found[1]), random_state=0)
    return load_dataset(name, return_X_y=True)


def make_tags(D: Any, rule: str, seed: int) -> Any:
    """Return logical labels made from distributions by a rule.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_labels)
    rule : str
        ``"threshold t"``: `labeldist.datasets.binarize` with threshold t. ``"flip p"``: `flip_tags`
        after threshold 0.5. ``"above uniform"``: degrees above 1 / n_labels. ``"top"``: the largest
        degree of each row.
    seed : int
        Seed of the flips.
    """
    name, _, number = rule.partition(" ")
    if rule == "top":
        return np.eye(D.shape[1], dtype=np.uint8)[D.argmax(axis=1)]
    if rule == "above uniform":
        return (D > 1 / D.shape[1]).astype(np.uint8)
    if name == "threshold":
        return binarize(D, float(number))
    return flip_tags(binarize(D), float(number), seed)


def flip_tags(tags: Any, share: float, seed: int) -> Any:
    """Return a copy of tags in which each is flipped with probability `share`.

    A row that would lose all tags keeps one.
    """
    random = np.random.default_rng(seed)
    flipped = np.where(random.random(tags.shape) < share, 1 - tags, tags)
    empty = np.flatnonzero(flipped.sum(axis=1) == 0)
    flipped[empty, [random.choice(np.flatnonzero(tags[row])) for row in empty]] = 1
    return flipped


def hide_degrees(D: Any, share: float, seed: Any) -> Any:
    """Return a copy of distributions in which each degree is NaN with probability `share`.

    Every row keeps at least one degree.
    """
    random = np.random.default_rng(seed)
    draws = random.random(D.shape)
    return np.where((draws < share) & (draws < draws.max(axis=1, keepdims=True)), np.nan, D)
