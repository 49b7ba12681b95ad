"""Tests of the difference of methods: per data set, over data sets, and of average ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from labeldist._typing import Array

LEVEL = 0.05
"""The level of significance of all tests."""

MAX_EXACT = 25
"""The largest number of leads with an exact p-value in `signed_rank_test`."""

ROUNDING = 1e-12  # Leads that differ by less are equal up to rounding.


def _paired(leads: Array, lead: Any, pvalue: Any) -> dict[str, float]:
    wins = int((leads > 0).sum())
    losses = int((leads < 0).sum())
    ties = len(leads) - wins - losses
    numbers = {"lead": float(lead), "wins": wins, "ties": ties, "losses": losses}
    return {**numbers, "pvalue": float(pvalue)}


def signed_rank_test(leads: ArrayLike) -> dict[str, float]:
    """Test leads on several data sets by Wilcoxon's signed-rank test.

    Leads of zero are left out. The p-value is exact for up to 25 other leads, also with ties;
    beyond, it is a normal approximation.

    Parameters
    ----------
    leads : array-like of shape (n_datasets,)
        By how much the method is better on each data set.

    Returns
    -------
    dict of str to float
        ``lead``, the sum of the signed ranks, which is above zero if the method is better;
        ``wins``, ``ties`` and ``losses``, the numbers of data sets; and the two-sided ``pvalue``,
        which is 1 if all leads are zero, and NaN if one is NaN.

    See Also
    --------
    Comparison.test : Test each method against another one.

    Examples
    --------
    >>> from labeldist.comparison import signed_rank_test
    >>> signed_rank_test([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])["pvalue"]
    0.03125
    """
    given = np.asarray(leads, dtype=np.float64)
    largest = np.abs(given[np.isfinite(given)]).max(initial=0.0)
    # Leads that are equal up to rounding are ties.
    values = np.round(given / largest, 12) if largest > 0 else given
    nonzero = values[values != 0]
    ranks = stats.rankdata(np.abs(nonzero))
    rank_sum = float(np.sign(nonzero) @ ranks)
    if np.isnan(rank_sum):
        pvalue = np.nan
    elif len(nonzero) <= MAX_EXACT:
        pvalue = _exact_pvalue(ranks, rank_sum)
    else:
        pvalue = float(stats.wilcoxon(nonzero, method="approx").pvalue)
    return _paired(values, rank_sum, pvalue)


def _exact_pvalue(ranks: Array, rank_sum: float) -> float:
    """Return the share of the 2ⁿ assignments of signs with a rank sum at least as far from 0."""
    doubled = np.rint(2 * ranks).astype(int)  # the ranks of ties may be halves
    total = int(doubled.sum())
    n_assignments = np.zeros(total + 1)  # by the sum of the doubled ranks with a plus
    n_assignments[0] = 1
    for rank in doubled:
        with_plus = np.zeros_like(n_assignments)
        with_plus[rank:] = n_assignments[: total + 1 - rank]
        n_assignments += with_plus
    signed = 2 * np.arange(total + 1) - total
    is_as_far = np.abs(signed) >= abs(round(2 * rank_sum))
    return float(n_assignments[is_as_far].sum() / n_assignments.sum())


def corrected_t_test(leads: ArrayLike, *, ratio: float | None = None) -> dict[str, float]:
    """Test leads in the splits of one data set by the corrected t-test.

    The training rows of the splits overlap. The correction of Nadeau and Bengio (Inference for the
    generalization error, Machine Learning 52, 2003) replaces the variance σ²/k of the mean of k
    leads by σ²(1/k + r), where r is the number of test rows over the number of training rows. It
    holds for one or several cross-validations and for random splits. `ratio` is r; None is
    1/(k − 1), which is right for the k folds of one cross-validation only.

    The result is as in `signed_rank_test`, with the mean as ``lead``. ``pvalue`` is 1 if all leads
    are equal up to rounding, and NaN for one lead.
    """
    values = np.asarray(leads, dtype=np.float64)
    k = len(values)
    if k == 1:
        return _paired(values, values[0], np.nan)
    r = 1 / (k - 1) if ratio is None else ratio
    error = values.std(ddof=1) * np.sqrt(1 / k + r)
    mean = values.mean()
    are_equal = np.ptp(values) < ROUNDING
    pvalue = 1.0 if are_equal else 2 * stats.t.sf(abs(mean) / error, k - 1)
    return _paired(values, mean, pvalue)


def holm(pvalues: ArrayLike) -> Array:
    """Correct p-values for their number by Holm's method; NaN is no test."""
    values = np.asarray(pvalues, dtype=np.float64)
    corrected = np.full(values.shape, np.nan)
    n_tests = int((~np.isnan(values)).sum())
    order = np.argsort(values)[:n_tests]  # NaN is sorted to the end
    factors = np.arange(n_tests, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return corrected


def friedman(distances: Array) -> tuple[float, float]:
    """Return statistic and p-value of Friedman's test, data sets × methods; NaN if it has none.

    It needs two data sets and three methods that differ somewhere.
    """
    n_sets, n_methods = distances.shape
    if n_sets < 2 or n_methods < 3 or not np.ptp(distances, axis=1).any():
        return np.nan, np.nan
    result = stats.friedmanchisquare(*distances.T)
    return float(result.statistic), float(result.pvalue)


def critical_difference(n_sets: int, n_methods: int) -> float:
    """Return Nemenyi's critical difference of average ranks at `LEVEL`.

    q √(k (k + 1) / (6 n)) for k methods on n sets, q from the studentised range; NaN for fewer than
    two methods.
    """
    if n_sets < 1 or n_methods < 2:
        return np.nan
    q = stats.studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))
