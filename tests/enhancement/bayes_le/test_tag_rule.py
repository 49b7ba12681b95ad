from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.datasets import binarize
from labeldist.enhancement._bayes_le.tag_rule import Rule, distinct_rows


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_rule_equals_binarize(threshold, rng):
    D = rng.dirichlet(np.ones(5), size=500)
    assert_array_equal(Rule("half", threshold).tags(D.T), binarize(D, threshold).T > 0)


@pytest.mark.parametrize(
    ("rule", "largest"), [(Rule("half", 0.5), 2), (Rule("half", 0.51), 3), (Rule("order"), 4)]
)
def test_possible_numbers_of_tags(rule, largest):
    assert_array_equal(np.flatnonzero(rule.is_possible(np.arange(5), 4)), np.arange(1, largest + 1))


@pytest.mark.parametrize("rule", [Rule("half", 0.2), Rule(), Rule("half", 0.75), Rule("order")])
@pytest.mark.parametrize("n_labels", [2, 3, 7])
def test_feasible_scores_give_their_tags(n_labels, rule):
    tags = np.array(list(product([False, True], repeat=n_labels))).T
    scores = rule.feasible_scores(tags)
    assert_allclose(scores.mean(axis=0), 0, atol=1e-12)
    n_tags = tags.sum(axis=0)
    partial = (n_tags > 0) & (n_tags < n_labels)
    lowest = np.where(tags, scores, np.inf).min(axis=0)
    highest = np.where(tags, -np.inf, scores).max(axis=0)
    assert (lowest[partial] > highest[partial]).all()
    if rule.name == "half":
        possible = rule.is_possible(n_tags, n_labels)
        assert possible.sum() >= n_labels
        assert_array_equal(rule.tags(np.exp(scores))[:, possible], tags[:, possible])


@pytest.mark.parametrize("n_labels", [3, 9, 70])
@pytest.mark.parametrize("order", ["C", "F"])
def test_distinct_rows_reproduce_the_rows(rng, n_labels, order):
    rows = np.repeat(rng.random((20, n_labels)) < 0.5, 3, axis=0)
    tags, pattern = distinct_rows(np.asarray(rows, order=order))
    assert_array_equal(tags.T[pattern], rows)
    assert tags.shape[1] == len(np.unique(rows, axis=0))
