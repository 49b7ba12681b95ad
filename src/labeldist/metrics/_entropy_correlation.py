"""`entropy_correlation`: whether a prediction knows which items are ambiguous."""

import numpy as np
from numpy.typing import ArrayLike

from labeldist.metrics._measures import check_pair, row_weights
from labeldist.simplex import ambiguity


def entropy_correlation(
    D_true: ArrayLike, D_pred: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return Pearson's correlation of true and predicted entropies over the rows.

    It is high if the prediction is uncertain about the items that people disagree about, whichever
    labels these are. It is a value of the whole table, not a mean over rows.

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    float
        Between −1 and 1. Higher is better; 0 if all true or all predicted entropies are equal.

    See Also
    --------
    spearman : Mean over rows of the correlation of the ranks of the labels.

    References
    ----------
    .. [1] K. Kurniawan, M. Mistica, T. Baldwin, J. H. Lau. Training and evaluating with human label
       variation: an empirical study. 2025.

    Examples
    --------
    >>> from labeldist.metrics import entropy_correlation
    >>> D = [[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]
    >>> round(entropy_correlation(D, [[0.2, 0.8], [0.4, 0.6], [0.3, 0.7]]), 3)
    0.989
    """
    d, p = check_pair(D_true, D_pred, sample_weight)
    entropies = np.log([ambiguity(d), ambiguity(p)])
    weight = row_weights(sample_weight, np.full(len(d), True))
    (variance, covariance), (_, other_variance) = np.cov(entropies, aweights=weight, ddof=0)
    spread = np.sqrt(variance * other_variance)
    is_constant = spread <= np.finfo(float).eps
    return 0.0 if is_constant else float(covariance / spread)
