"""Skill of a prediction: the relative reduction of the loss of a trivial baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labeldist._typing import Array
from labeldist._validation import check_columns, check_label_names, check_rows
from labeldist.metrics import _best_constants
from labeldist.metrics._measures import MEASURES, check_pair, measure_named, row_weights
from labeldist.simplex import check_distributions, normalize

ROUNDING_DIVERGENCE = 1e-12  # divergences up to this are zero up to rounding
THE_MEAN = "the mean"


def skill(
    D_true: ArrayLike,
    D_pred: ArrayLike,
    *,
    measure: str = "kl_divergence",
    baseline: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the skill of predicted distributions, relative to a baseline.

    It is 1 − loss(D_pred) / loss(baseline), where the loss is the difference of the measure from
    its best value. By Kullback-Leibler, the default, it is 1 − KL(D_true, D_pred) / KL(D_true,
    baseline).

    Parameters
    ----------
    D_true : array-like of shape (n_samples, n_labels)
        The true distributions. Each row is divided by its sum.
    D_pred : array-like of shape (n_samples, n_labels)
        The predicted distributions.
    measure : str, default="kl_divergence"
        A key of `MEASURES`.
    baseline : array-like of shape (n_labels,) or (n_samples, n_labels), default=None
        Distributions that the prediction is compared with. None is the constant prediction that is
        best for `D_true` and the measure: for ``"kl_divergence"`` and ``"ranked_probability"`` the
        weighted mean, for ``"manhattan"``, ``"intersection"`` and ``"wasserstein"`` a median. The
        mean of training data judges a model by what was known when it was fitted.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    float
        1 for a perfect prediction, 0 for one as good as the baseline, without a lower bound. If the
        baseline is perfect, 1 for a perfect prediction and 0 for any other.

    See Also
    --------
    score_all : The values of the measures.
    best_constant : The baseline of other rows, such as those that a model is fitted to.

    Notes
    -----
    Tables are paired by position. Data frames whose columns have other names or another order, or
    whose indexes have another order, raise an error. The index of a Series as `baseline` names the
    labels.

    Examples
    --------
    >>> from labeldist.metrics import skill
    >>> D = [[0.9, 0.1], [0.1, 0.9]]
    >>> round(skill(D, [[0.8, 0.2], [0.2, 0.8]]), 2)
    0.9
    >>> round(skill(D, [[0.8, 0.2], [0.2, 0.8]], measure="manhattan"), 2)
    0.75
    """
    mean = measure_named(measure).mean
    _check_baseline(D_true, D_pred, baseline, sample_weight)
    degrees = normalize(D_true, name="D_true", copy=False)
    d, p = check_pair(degrees, D_pred)
    weight = row_weights(sample_weight, np.full(len(d), True))
    if baseline is None:
        baseline = _best_constants.best_constant(d, measure, weight)
    given = np.asarray(baseline, dtype=np.float64)
    if given.shape not in (d.shape, d.shape[1:]):
        raise ValueError(
            f"baseline must have the shape {d.shape[1:]} or {d.shape}; got {given.shape}."
        )
    constant = np.broadcast_to(check_distributions(np.atleast_2d(given), name="baseline"), d.shape)
    achieved = mean(d, p, sample_weight=weight)
    return relative_improvement(measure, achieved, mean(d, constant, sample_weight=weight))


def best_constant(
    D: ArrayLike, *, measure: str = "kl_divergence", sample_weight: ArrayLike | None = None
) -> Array:
    """Return the constant prediction that is best for a measure.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_labels)
        True distributions. Each row is divided by its sum.
    measure : str, default="kl_divergence"
        A key of `MEASURES`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_labels,)
        The mean for ``"kl_divergence"`` and ``"ranked_probability"``, a median for ``"manhattan"``,
        ``"intersection"`` and ``"wasserstein"``. Where no solution is known, it is the best of
        those for other measures and of some rows.

    See Also
    --------
    skill : Compare a prediction with it.

    Examples
    --------
    >>> from labeldist.metrics import best_constant
    >>> best_constant([[0.9, 0.1], [0.5, 0.5]])
    array([0.7, 0.3])
    """
    name = measure_named(measure).name
    check_rows(D=D, sample_weight=sample_weight)
    degrees = normalize(D, name="D")
    weight = row_weights(sample_weight, np.full(len(degrees), True))
    return _best_constants.best_constant(degrees, name, weight)


def _check_baseline(D_true: Any, D_pred: Any, baseline: Any, sample_weight: Any) -> None:
    """Raise an error if tables name their rows or labels in different orders."""
    is_constant = np.ndim(baseline) < 2
    if is_constant and hasattr(baseline, "iloc"):  # the index of a Series names the labels
        names = [str(name) for name in baseline.index]
        for name, table in {"D_true": D_true, "D_pred": D_pred}.items():
            check_label_names(table, names, name)
    of_rows = None if is_constant else baseline
    check_rows(D_true=D_true, D_pred=D_pred, baseline=of_rows, sample_weight=sample_weight)
    check_columns(D_true=D_true, D_pred=D_pred, baseline=of_rows)


def relative_improvement(measure: str, achieved: float, trivial: float) -> float:
    """Return the skill of a mean value of a measure over the value of a baseline."""
    best = MEASURES[measure].best
    return relative_reduction(abs(achieved - best), abs(trivial - best))


def relative_reduction(achieved: float, trivial: float) -> float:
    """Return 1 − achieved / trivial for two divergences; see `skill` for a trivial one of zero."""
    if trivial <= ROUNDING_DIVERGENCE:
        return float(achieved <= ROUNDING_DIVERGENCE)
    return 1 - achieved / trivial


def constant_name(measure: str) -> str:
    """Return what the best constant prediction for a measure is called."""
    return THE_MEAN if _best_constants.is_mean(measure) else "the best constant"
