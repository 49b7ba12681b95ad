"""Statistics of the folds of a table, from which BDLDLCV fits all folds in one pass."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._solvers.moments import Moments
from labeldist._validation import random_generator
from labeldist.learning._cross_validation import Table, check_scoring
from labeldist.metrics import MEASURES

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class FoldMoments:
    """The moments of the held-out rows of each fold. Two of them add up fold by fold."""

    parts: tuple[Moments, ...]

    @classmethod
    def of(cls, table: Table, held_out: Iterable[Rows]) -> FoldMoments:
        """Compute the moments of the rows that each fold holds out."""
        return cls(tuple(Moments.of(*table.rows(rows)) for rows in held_out))

    def __add__(self, other: FoldMoments) -> FoldMoments:
        pairs = zip(self.parts, other.parts, strict=True)
        return FoldMoments(tuple(mine + theirs for mine, theirs in pairs))

    def total(self) -> Moments:
        """Return the moments of all rows."""
        return reduce(operator.add, self.parts)

    def training(self) -> list[Moments]:
        """Return, for each fold, the sum of all other parts, without subtraction."""
        before = list(accumulate(self.parts))
        after = list(accumulate(reversed(self.parts)))[::-1]
        inner = [left + right for left, right in zip(before, after[2:], strict=False)]
        return [after[1], *inner, before[-2]]


def is_partition(folds: list[tuple[Any, Any]], n: int) -> bool:
    """Return whether each of n rows is held out exactly once and is in all other training sets."""
    held_out = [test for _, test in folds]
    return all(_has_each_row_once(parts, n) for parts in [held_out, *folds])


def _has_each_row_once(parts: Any, n: int) -> bool:
    counts = np.bincount(np.concatenate(parts), minlength=n)
    return np.array_equal(counts, np.ones(n))


@dataclass(frozen=True)
class BlockFolds:
    """Random folds of a table in blocks.

    The folds of a block depend only on the seed and the block's number.
    """

    n_folds: int
    seed: int

    def of(self, number: int, n_rows: int) -> list[Rows]:
        """Return the rows of a block that each fold holds out."""
        rng = np.random.default_rng([self.seed, number])
        # The random offset balances the folds if blocks have fewer rows than there are folds.
        fold_of_row = (rng.permutation(n_rows) + rng.integers(self.n_folds)) % self.n_folds
        return [np.flatnonzero(fold_of_row == fold) for fold in range(self.n_folds)]


def block_folds(cv: Any, scoring: Any, random_state: Any) -> BlockFolds:
    """Return the folds of a table in blocks; raise an error for what needs the whole table."""
    check_scoring(scoring)
    if not isinstance(cv, Integral):
        raise TypeError("For Dask collections and streams cv must be an int.")
    if callable(scoring):
        names = ", ".join(MEASURES)
        raise TypeError(f"For Dask collections and streams scoring must be one of {names}.")
    return BlockFolds(int(cv), int(random_generator(random_state).randint(2**31)))
