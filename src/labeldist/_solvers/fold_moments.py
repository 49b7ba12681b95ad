"""The statistics that cross-validation needs: those of each fold's training rows, from one look at the table."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeldist._solvers.moments import Moments
from labeldist._typing import Array

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class FoldMoments:
    """The moments of the rows that each fold holds out. Two of them add up, fold by fold."""

    parts: tuple[Moments, ...]

    @classmethod
    def of(cls, X: Any, D: Array, weight: Array | None, held_out: Iterable[Rows]) -> FoldMoments:
        """Compute them for the rows that each fold holds out."""
        return cls(tuple(moments_of_rows(X, D, weight, rows) for rows in held_out))

    def __add__(self, other: FoldMoments) -> FoldMoments:
        return FoldMoments(tuple(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True)))

    def total(self) -> Moments:
        """Return the moments of all rows."""
        return reduce(operator.add, self.parts)

    def training(self) -> list[Moments]:
        """Return the sum of all parts but one, for each: nothing is subtracted, so no digit is lost."""
        before = list(accumulate(self.parts))
        after = list(accumulate(reversed(self.parts)))[::-1]
        inner = [left + right for left, right in zip(before, after[2:], strict=False)]
        return [after[1], *inner, before[-2]]


def moments_of_rows(X: Any, D: Array, weight: Array | None, rows: Any) -> Moments:
    """Return the moments of some rows of a table."""
    return Moments.of(X[rows], D[rows], None if weight is None else weight[rows])


def is_partition(folds: list[tuple[Any, Any]], n: int) -> bool:
    """Whether every one of n rows is held out once, and trains whenever it is not."""
    times = np.bincount(np.concatenate([np.asarray(test) for _, test in folds]), minlength=n)
    return bool((times == 1).all()) and all(len(train) + len(test) == n for train, test in folds)


@dataclass(frozen=True)
class BlockFolds:
    """Folds of a table in blocks, drawn block by block, the same ones whenever a block is looked at."""

    n_folds: int
    seed: int

    def of(self, number: int, n_rows: int) -> list[Rows]:
        """Return the rows of a block that each fold holds out."""
        rng = np.random.default_rng([self.seed, number])
        # Where a block has fewer rows than there are folds, other blocks begin with other folds.
        fold_of_row = (rng.permutation(n_rows) + rng.integers(self.n_folds)) % self.n_folds
        return [np.flatnonzero(fold_of_row == fold) for fold in range(self.n_folds)]
