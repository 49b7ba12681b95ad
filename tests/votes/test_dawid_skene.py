"""The Dawid-Skene model, against an independent EM with loops and against simulated annotators."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from labeldist.exceptions import LabelWarning, TableError
from labeldist.votes import dawid_skene, from_votes
from tests.references import dawid_skene_by_loops

LONG = {"item": "id", "annotator": "who", "label": "emotion"}
LABELS = ["awe", "fear", "joy"]
ACCURACIES = {"ann": 0.95, "bob": 0.9, "cem": 0.6, "dan": 0.4}


def simulate(matrices, n_items, seed=0, share=1.0):
    """Draw true labels and votes; annotators vote on a share of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n_items)
    votes = [
        (i, who, LABELS[rng.choice(3, p=matrix[truth[i]])])
        for i in range(n_items)
        for who, matrix in matrices.items()
        if who == "ann" or rng.random() < share
    ]
    return truth, pd.DataFrame(votes, columns=["id", "who", "emotion"])


def symmetric(accuracy):
    return np.full((3, 3), (1 - accuracy) / 2) + (1.5 * accuracy - 0.5) * np.eye(3)


MATRICES = {who: symmetric(accuracy) for who, accuracy in ACCURACIES.items()}


def coded(table):
    """Return the votes as triples of item, annotator and label codes."""
    names = list(dict.fromkeys(table["who"]))
    return [
        (i, names.index(who), LABELS.index(label))
        for i, who, label in table.itertuples(index=False)
    ]


@pytest.mark.parametrize("n_iter", [1, 2, 7])
def test_every_iteration_equals_a_slow_em(n_iter):
    _, table = simulate(MATRICES, 40, share=0.7)
    with pytest.warns(ConvergenceWarning, match=f"{n_iter} iterations"):
        result = dawid_skene(table, **LONG, smoothing=0.3, max_iter=n_iter)
    posteriors, confusion, prior, log_likelihood = dawid_skene_by_loops(
        coded(table), 3, 0.3, n_iter
    )
    assert (result.annotators, result.label_names) == (list(ACCURACIES), LABELS)
    assert_allclose(result.distributions, posteriors, rtol=1e-9, atol=1e-300)
    assert_allclose(result.confusion_matrices, confusion, rtol=1e-9)
    assert_allclose(result.class_priors, prior, rtol=1e-9)
    assert result.log_likelihood == pytest.approx(log_likelihood, rel=1e-12)
    assert (result.n_iter, result.converged) == (n_iter, False)


def test_converged_result_equals_a_slow_em():
    _, table = simulate(MATRICES, 200, seed=5, share=0.8)
    result = dawid_skene(table, **LONG, tol=1e-10)
    posteriors, *_ = dawid_skene_by_loops(coded(table), 3, 5.0, 2 * result.n_iter)
    assert result.converged
    assert_allclose(result.distributions, posteriors, atol=1e-6)


def test_votes_that_have_been_read_give_the_same_result():
    _, table = simulate(MATRICES, 50, share=0.7)
    expected = dawid_skene(table, **LONG)
    result = dawid_skene(from_votes(table, **LONG, smoothing=1))
    assert_array_equal(result.distributions, expected.distributions)
    assert (result.items, result.annotators) == (expected.items, expected.annotators)
    assert result.label_names == LABELS


def test_known_confusion_matrices_are_recovered():
    rng = np.random.default_rng(3)
    matrices = {who: 0.3 * rng.dirichlet(np.ones(3), size=3) + 0.7 * np.eye(3) for who in "abcdef"}
    truth, table = simulate(matrices, 3000)
    result = dawid_skene(table, **LONG)
    assert result.converged
    assert_allclose(result.confusion_matrices, list(matrices.values()), atol=0.05)
    assert_allclose(result.confusion_matrices.sum(axis=2), 1, rtol=1e-12)
    assert_allclose(result.class_priors, np.bincount(truth) / 3000, atol=0.01)
    assert (result.distributions.argmax(axis=1) == truth).mean() > 0.97
    modelled = from_votes(table, **LONG, aggregator="dawid_skene")
    assert_array_equal(modelled.distributions, result.distributions)
    assert_array_equal(modelled.weights, 6)


def test_order_of_rows_annotators_and_labels_does_not_matter():
    _, table = simulate(MATRICES, 50, seed=2)
    expected = dawid_skene(table, **LONG)
    shuffled = dawid_skene(table.sample(frac=1, random_state=0), **LONG)
    order = [expected.annotators.index(who) for who in shuffled.annotators]
    assert_allclose(shuffled.distributions, expected.distributions[shuffled.items], atol=1e-9)
    assert_allclose(shuffled.confusion_matrices, expected.confusion_matrices[order], rtol=1e-6)
    other = dawid_skene(table, **LONG, label_names=LABELS[::-1])
    assert_allclose(other.distributions, expected.distributions[:, ::-1], atol=1e-9)
    wide = table.pivot(index="id", columns="who", values="emotion")
    reshaped = dawid_skene(wide, annotators=list(ACCURACIES))
    assert_allclose(reshaped.distributions, expected.distributions, atol=1e-9)


def test_unanimous_votes_and_labels_without_votes():
    _, table = simulate(MATRICES, 10)
    result = dawid_skene(table, **LONG, label_names=["joy", "none", "fear", "awe"])
    assert_array_equal(result.distributions[:, 1], 0)
    assert np.isfinite(result.log_likelihood)
    assert_array_equal(dawid_skene(table.assign(emotion="joy"), **LONG).distributions, 1)


def test_items_without_votes_are_to_be_dropped():
    table = pd.DataFrame({"ann": ["joy", None], "bob": ["fear", None]})
    with pytest.raises(TableError, match=r"first data row 2, item 1\. Drop these items\.$"):
        dawid_skene(table, annotators=["ann", "bob"])


def test_annotators_with_few_votes_err_like_the_others():
    """Without shared error rates, EM moves unanimous items to the most frequent label."""
    items = np.repeat([1, 2, 3], 3)
    table = pd.DataFrame({"id": items, "who": range(9), "emotion": list("aaaaaabbb")})
    with pytest.warns(LabelWarning, match="1 votes or fewer"):
        result = dawid_skene(table, **LONG)
    assert_allclose(result.distributions, [[1, 0], [1, 0], [0, 1]], atol=1e-3)


def test_long_lists_of_annotators_do_not_underflow():
    table = pd.DataFrame(
        {f"a{k}": ["x", "y", "x", "y"] for k in range(500)} | {"b": ["x", "x", "y", "y"]}
    )
    result = dawid_skene(table, annotators=list(table.columns))
    assert_allclose(result.distributions, [[1, 0], [0, 1], [1, 0], [0, 1]])


def test_votes_that_the_model_cannot_use_raise():
    _, table = simulate(MATRICES, 10)
    with pytest.raises(ValueError, match="annotators"):
        dawid_skene(table, item="id", label="emotion")
    with pytest.raises(ValueError, match="smoothing=1"):
        from_votes(table, **LONG, aggregator="dawid_skene", smoothing=1)
    for option in ("smoothing", "max_iter", "tol"):
        with pytest.raises(ValueError, match=f"{option} .* 0"):
            dawid_skene(table, **LONG, **{option: 0})
    twice = pd.DataFrame({"id": [7, 8, 7], "who": ["ann"] * 3, "emotion": ["joy", "joy", "fear"]})
    with pytest.raises(TableError, match="more than once"):
        dawid_skene(twice, **LONG)
