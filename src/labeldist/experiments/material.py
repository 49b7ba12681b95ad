"""The tables that experiments work on: the benchmark sets, and artificial ones that need no download."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeldist._typing import Array
from labeldist.datasets import binarize, list_datasets, load_dataset, make_artificial

ARTIFICIAL = re.compile(r"artificial_([1-9][0-9]{0,6})")
"""``artificial_300`` are 300 rows of the artificial set of the literature; ten million are too many."""

SETS = tuple(list_datasets())


class Material(NamedTuple):
    """Features, true distributions and logical labels."""

    X: Array
    D: Array
    L: NDArray[np.uint8]


def is_known_set(name: str) -> bool:
    """Whether `material` has a set of that name."""
    return isinstance(name, str) and (name in SETS or ARTIFICIAL.fullmatch(name) is not None)


@lru_cache(maxsize=2)
def material(name: str) -> Material:
    """Return a set; the last ones are kept, since a worker often gets runs on the same set one after the other."""
    found = ARTIFICIAL.fullmatch(name)
    X, D = make_artificial(int(found[1]), random_state=0) if found else load_dataset(name, return_X_y=True)
    return Material(X, D, binarize(D))


def size(name: str) -> int:
    """Return about how much work a set is, to begin with the largest."""
    found = ARTIFICIAL.fullmatch(name)
    if found:
        return int(found[1])
    from labeldist.datasets._registry import REGISTRY

    info = REGISTRY[name]
    return info.n_samples * (info.n_features + info.n_labels)
