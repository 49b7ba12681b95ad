"""The correlation of entropies, against SciPy."""

import numpy as np
import pytest
from scipy.stats import entropy, pearsonr

from labeldist.metrics import entropy_correlation


@pytest.fixture
def pair(rng):
    return rng.dirichlet(np.ones(4), size=(2, 30))


def test_correlation_equals_that_of_scipy(pair):
    D, P = pair
    expected = pearsonr(entropy(D, axis=1), entropy(P, axis=1)).statistic
    assert entropy_correlation(D, P) == pytest.approx(expected)
    assert entropy_correlation(P, D) == pytest.approx(expected)


def test_weights_equal_repeated_rows(pair, rng):
    weight = rng.integers(0, 4, size=30)
    repeated = np.repeat(pair, weight, axis=1)
    assert entropy_correlation(*pair, weight) == pytest.approx(entropy_correlation(*repeated))


def test_only_the_ambiguity_counts(pair):
    D, _ = pair
    assert entropy_correlation(D, D[:, ::-1]) == pytest.approx(1)


@pytest.mark.parametrize("other", [[[0.6, 0.4]] * 3, [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4]]])
def test_equal_entropies_have_no_correlation(other):
    D = [[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]
    assert entropy_correlation(D, other) == entropy_correlation(other, D) == 0
    assert entropy_correlation(D[:1], D[:1]) == 0
    assert entropy_correlation([[1, 0], [1, 0]], [[1, 0], [0, 1]]) == 0


def test_invalid_tables_raise():
    with pytest.raises(ValueError, match="same shape"):
        entropy_correlation([[0.5, 0.5]], [[0.5, 0.25, 0.25]])
