"""DF-LDL: learners for the pairs of labels, combined by nearest neighbours."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from labeldist._compat import HasMethods
from labeldist._constraints import COUNT
from labeldist._typing import Array
from labeldist.learning._learner import DistributionLearner
from labeldist.learning._softmax_regression import SoftmaxRegression
from labeldist.published.aa_knn import AAKNN
from labeldist.simplex import normalize


class DFLDL(DistributionLearner):
    """Decomposition-fusion for label distribution learning (DF-LDL).

    For each pair of labels i < j, one copy of a learner is fitted to the rows with d_i ≥ d_j and
    another one to the rest. For a new row, nearest neighbours predict p. Each pair then uses the
    learner for p's side, p_i ≥ p_j or p_i < p_j. The prediction is the mean over all c(c − 1)/2
    pairs.

    Parameters
    ----------
    learner : distribution learner, default=None
        The learner, fitted c(c − 1) times to parts of the rows. None is ``SoftmaxRegression()``.
    n_neighbors : int, default=4
        Number of neighbours, of `AAKNN`, that choose the sides.
    min_samples : int, default=5
        If fewer rows are on a side, one learner is fitted to all rows and serves both sides.
        Published: 1.

    Attributes
    ----------
    learners_ : list of tuple
        The fitted learners of the sides d_i ≥ d_j and d_i < d_j of the pairs (0, 1), (0, 2), …, (c
        − 2, c − 1).
    neighbors_ : AAKNN
        The nearest neighbours.

    See Also
    --------
    AAKNN : The neighbours alone.

    Notes
    -----
    Decomposition, fusion and `n_neighbors` are from the method section of the paper, which
    compares several learners. The default here is `SoftmaxRegression`, because its penalty keeps
    the fits to few rows finite; `SABFGS` overfits them. PyLDL uses SA-BFGS and five neighbours, and
    fails if a side has no rows. Both learner and neighbours depend on the units of the features:
    consider a ``StandardScaler`` in front.

    References
    ----------
    M. González, G. González-Almagro, I. Triguero, J. R. Cano, S. García. Decomposition-fusion for
    label distribution learning. Information Fusion 66, 2021.

    Examples
    --------
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.learning import SoftmaxRegression
    >>> from labeldist.published import DFLDL
    >>> X, D = make_artificial(500, random_state=0)
    >>> DFLDL().fit(X, D).score(X, D) > SoftmaxRegression().fit(X, D).score(X, D)
    True
    """

    _constraints = {"learner": [HasMethods(["fit", "predict"]), None], "min_samples": COUNT}

    def __init__(self, learner: Any = None, *, n_neighbors: int = 4, min_samples: int = 5) -> None:
        self.learner = learner
        self.n_neighbors = n_neighbors
        self.min_samples = min_samples

    def _fit(self, X: Any, D: Array) -> None:
        self.neighbors_ = AAKNN(self.n_neighbors).fit(X, D)
        learner = SoftmaxRegression() if self.learner is None else self.learner
        whole = None  # the learner of all rows, if a pair needs it
        self.learners_ = []
        for i, j in combinations(range(D.shape[1]), 2):
            ahead = D[:, i] >= D[:, j]
            sides = ahead, ~ahead
            if min(map(np.count_nonzero, sides)) >= self.min_samples:
                learners = tuple(clone(learner).fit(X[rows], D[rows]) for rows in sides)
            else:
                whole = whole or clone(learner).fit(X, D)
                learners = whole, whole
            self.learners_.append(learners)

    def _predict(self, X: Any) -> Array:
        nearest = self.neighbors_.predict(X)
        if not self.learners_:  # there is a single label
            return nearest
        total = np.zeros_like(nearest)
        pairs = combinations(range(nearest.shape[1]), 2)
        for (i, j), learners in zip(pairs, self.learners_, strict=True):
            ahead = nearest[:, i] >= nearest[:, j]
            for rows, learner in zip((ahead, ~ahead), learners, strict=True):
                if rows.any():
                    total[rows] += learner.predict(X[rows])
        return normalize(total)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.learner is None or get_tags(self.learner).input_tags.sparse
        return tags
