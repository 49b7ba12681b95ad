"""The constant predictions that are best for a measure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from labeldist.metrics import MEASURES, _best_constants
from labeldist.metrics._best_constants import SOLUTIONS, best_constant

EXACT = dict.fromkeys(SOLUTIONS, 1e-6)
# Those of the other measures are the best of some candidates.
LARGEST_GAP = dict.fromkeys(MEASURES, 0.05) | EXACT


def loss(measure, D, constant, weight=None):
    """Return the mean difference of a measure from its best value."""
    values = MEASURES[measure].rows(D, np.broadcast_to(constant, D.shape))
    return abs(np.average(values, weights=weight) - MEASURES[measure].best)


def tables():
    """Return distributions and shares of three votes, by name."""
    rng = np.random.default_rng(0)
    found = {}
    for n_labels, concentration in ((2, 0.3), (3, 1.0), (4, 5.0)):
        rows = rng.dirichlet(concentration * rng.uniform(0.3, 2, n_labels), size=15)
        found[f"degrees of {n_labels} labels"] = rows
        found[f"votes for {n_labels} labels"] = rng.multinomial(3, rows) / 3
    return found


def search(measure, D, random):
    """Return the least loss that a numerical search from several starts finds."""
    starts = [*D[:4], *random.dirichlet(np.ones(D.shape[1]), size=4)]

    def of(z):
        degrees = np.abs(z)
        return loss(measure, D, degrees / degrees.sum())

    options = {"maxiter": 1000, "xatol": 1e-9, "fatol": 1e-12}
    found = [minimize(of, start + 1e-3, method="Nelder-Mead", options=options) for start in starts]
    return min(result.fun for result in found)


@pytest.mark.parametrize("D", tables().values(), ids=tables())
@pytest.mark.parametrize("measure", MEASURES)
def test_no_constant_is_better(measure, D):
    constant = best_constant(D, measure)
    assert constant.min() >= 0
    assert constant.sum() == pytest.approx(1)
    found = search(measure, D, np.random.default_rng(1))
    assert loss(measure, D, constant) <= (1 + LARGEST_GAP[measure]) * found + 1e-9


def test_medians_differ_from_the_mean():
    D = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1]], dtype=float)
    for measure in ("manhattan", "intersection", "wasserstein"):
        assert_allclose(best_constant(D, measure), [1, 0, 0])
    assert_allclose(best_constant(D, "kl_divergence"), [0.75, 0, 0.25])
    assert_allclose(best_constant(D, "ranked_probability"), [0.75, 0, 0.25])


@pytest.mark.parametrize("measure", MEASURES)
def test_weighted_rows_equal_repeated_rows(measure, rng):
    D = rng.dirichlet(np.ones(3), size=6)
    weight = np.array([3.0, 1, 0, 2, 1, 2])
    repeated = np.repeat(D, weight.astype(int), axis=0)
    expected = loss(measure, repeated, best_constant(repeated, measure))
    assert loss(measure, D, best_constant(D, measure, weight), weight) == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["clark", "kendall"])
def test_large_tables_are_compared_on_a_sample(measure, monkeypatch, rng):
    D = rng.dirichlet(np.ones(3), size=400)
    expected = loss(measure, D, best_constant(D, measure))
    monkeypatch.setattr(_best_constants, "N_COMPARED", 100)
    assert loss(measure, D, best_constant(D, measure)) == pytest.approx(expected, rel=0.05)
