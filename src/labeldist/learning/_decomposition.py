"""DFLDL: decomposition of label distribution learning into pairs of labels, and fusion by nearest neighbours."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from labeldist._compat import COUNT, HasMethods
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner
from labeldist.learning._neighbors import AAKNN
from labeldist.learning._softmax_regression import SoftmaxRegression
from labeldist.simplex import normalize


class DFLDL(DistributionLearner):
    """Decomposition-fusion for label distribution learning (DF-LDL).

    For each pair of labels i < j, one copy of a learner is fitted to the rows with d_i ≥ d_j and another one to the
    rest. For a new row, nearest neighbours predict p, and of each pair the learner of the side of p, p_i ≥ p_j or not,
    is asked. The prediction is the mean of the answers of all c(c − 1)/2 pairs.

    Parameters
    ----------
    learner : distribution learner, default=None
        The learner, fitted c(c − 1) times to parts of the rows. None is ``SoftmaxRegression()``.
    n_neighbors : int, default=4
        Number of neighbours, of `AAKNN`, that choose the sides.
    min_samples : int, default=5
        If fewer rows are on a side, one learner is fitted to all rows and serves both sides. Published: 1.

    Attributes
    ----------
    learners_ : list of tuple
        The fitted learners of the sides d_i ≥ d_j and d_i < d_j of the pairs (0, 1), (0, 2), …, (c − 2, c − 1).
    neighbors_ : AAKNN
        The nearest neighbours.

    See Also
    --------
    AAKNN : The neighbours alone.

    Notes
    -----
    Decomposition, fusion and `n_neighbors` are those of the method section of the paper, which compares several
    learners. The default here is `SoftmaxRegression`, because its penalty keeps the fits to few rows finite; `SABFGS`
    overfits them. PyLDL uses SA-BFGS and five neighbours, and fails if a side has no rows. Both learner and neighbours
    depend on the units of the features: consider a ``StandardScaler`` in front.

    References
    ----------
    M. González, G. González-Almagro, I. Triguero, J. R. Cano, S. García. Decomposition-fusion for label distribution
    learning. Information Fusion 66, 2021.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import DFLDL, SoftmaxRegression
    >>> X, D = make_artificial(500, random_state=0)
    >>> DFLDL().fit(X, D).score(X, D) > SoftmaxRegression().fit(X, D).score(X, D)
    True
    """

    _constraints = {"learner": [HasMethods(["fit", "predict"]), None], "min_samples": COUNT}

    def __init__(self, learner: Any = None, *, n_neighbors: int = 4, min_samples: int = 5) -> None:
        self.learner, self.n_neighbors, self.min_samples = learner, n_neighbors, min_samples

    def _fit(self, X: Any, D: Array) -> None:
        self.neighbors_ = AAKNN(self.n_neighbors).fit(X, D)
        learner = SoftmaxRegression() if self.learner is None else self.learner
        sides = [D[:, i] >= D[:, j] for i, j in combinations(range(D.shape[1]), 2)]
        divided = [min(ahead.sum(), len(D) - ahead.sum()) >= self.min_samples for ahead in sides]
        whole = clone(learner).fit(X, D) if not all(divided) else None
        self.learners_ = [
            tuple(clone(learner).fit(X[rows], D[rows]) for rows in (ahead, ~ahead)) if enough else (whole, whole)
            for ahead, enough in zip(sides, divided, strict=True)
        ]

    def _predict(self, X: Any) -> Array:
        nearest = self.neighbors_.predict(X)
        if not self.learners_:  # of a single label
            return nearest
        total = np.zeros_like(nearest)
        for (i, j), (first, second) in zip(combinations(range(nearest.shape[1]), 2), self.learners_, strict=True):
            ahead = nearest[:, i] >= nearest[:, j]
            for rows, learner in ((ahead, first), (~ahead, second)):
                if rows.any():
                    total[rows] += learner.predict(X[rows])
        return normalize(total)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.learner is None or get_tags(self.learner).input_tags.sparse
        return tags
