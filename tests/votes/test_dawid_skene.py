"""The Dawid-Skene model, against an independent EM with loops and against simulated annotators."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from labeldist.exceptions import TableError
from labeldist.votes import dawid_skene, from_votes

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


def slow_em(table, smoothing, n_iter):
    """EM of Dawid and Skene with plain loops and probabilities; posteriors, confusion, priors, log-likelihood."""
    by_item = {}
    for i, who, label in table.itertuples(index=False):
        by_item.setdefault(i, []).append((who, LABELS.index(label)))
    q = {i: [sum(k == j for _, k in votes) / len(votes) for j in range(3)] for i, votes in by_item.items()}
    for _ in range(n_iter):
        prior = [sum(q[i][j] for i in q) / len(q) for j in range(3)]
        confusion = {}
        for who in ACCURACIES:
            rows = []
            for j in range(3):
                mass = [smoothing] * 3
                for i, votes in by_item.items():
                    for voter, k in votes:
                        mass[k] += q[i][j] if voter == who else 0
                rows.append([m / sum(mass) for m in mass])
            confusion[who] = rows
        log_likelihood = 0
        for i, votes in by_item.items():
            joint = [prior[j] * math.prod(confusion[who][j][k] for who, k in votes) for j in range(3)]
            log_likelihood += math.log(sum(joint))
            q[i] = [p / sum(joint) for p in joint]
    return list(q.values()), [confusion[who] for who in ACCURACIES], prior, log_likelihood


@pytest.mark.parametrize("n_iter", [1, 2, 7])
def test_every_iteration_equals_a_slow_em(n_iter):
    _, table = simulate(MATRICES, 40, share=0.7)
    with pytest.warns(ConvergenceWarning, match=f"{n_iter} iterations"):
        result = dawid_skene(table, **LONG, smoothing=0.3, max_iter=n_iter)
    posteriors, confusion, prior, log_likelihood = slow_em(table, 0.3, n_iter)
    assert (result.annotators, result.label_names) == (list(ACCURACIES), LABELS)
    assert_allclose(result.distributions, posteriors, rtol=1e-9, atol=1e-300)
    assert_allclose(result.confusion_matrices, confusion, rtol=1e-9)
    assert_allclose(result.class_priors, prior, rtol=1e-9)
    assert result.log_likelihood == pytest.approx(log_likelihood, rel=1e-12)
    assert (result.n_iter, result.converged) == (n_iter, False)


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
    assert_allclose(other.confusion_matrices, expected.confusion_matrices[:, ::-1, ::-1], rtol=1e-6)
    wide = table.pivot(index="id", columns="who", values="emotion").reset_index()
    assert_allclose(
        dawid_skene(wide, item="id", annotators=list(ACCURACIES)).distributions, expected.distributions, atol=1e-9
    )


def test_unanimous_votes_and_labels_without_votes():
    _, table = simulate(MATRICES, 10)
    result = dawid_skene(table, **LONG, label_names=["joy", "none", "fear", "awe"])
    assert_array_equal(result.distributions[:, 1], 0)
    assert np.isfinite(result.log_likelihood)
    assert_array_equal(dawid_skene(table.assign(emotion="joy"), **LONG).distributions, 1)
    assert repr(result) == "DawidSkeneResult(10 items, 4 annotators, 4 labels)"


def test_long_lists_of_annotators_do_not_underflow():
    table = pd.DataFrame({f"a{k}": ["x", "y", "x", "y"] for k in range(500)} | {"b": ["x", "x", "y", "y"]})
    result = dawid_skene(table, annotators=list(table.columns))
    assert_allclose(result.distributions, [[1, 0], [0, 1], [1, 0], [0, 1]])


def test_votes_that_the_model_cannot_use_are_errors():
    _, table = simulate(MATRICES, 10)
    with pytest.raises(ValueError, match="'glad'"):
        from_votes(table, **LONG, aggregator="glad")
    with pytest.raises(ValueError, match="annotators"):
        dawid_skene(table, item="id", label="emotion")
    with pytest.raises(ValueError, match="annotators"):
        from_votes([[1, 2]], aggregator="dawid_skene")
    with pytest.raises(ValueError, match="smoothing=1"):
        from_votes(table, **LONG, aggregator="dawid_skene", smoothing=1)
    for option in ("smoothing", "max_iter", "tol"):
        with pytest.raises(ValueError, match=f"{option} .* 0"):
            dawid_skene(table, **LONG, **{option: 0})
    with pytest.raises(TableError, match="item 1"):
        dawid_skene(pd.DataFrame({"ann": ["joy", None]}), annotators=["ann"])
    twice = pd.DataFrame({"id": [7, 8, 7], "who": ["ann"] * 3, "emotion": ["joy", "joy", "fear"]})
    with pytest.raises(TableError, match=r"row 3 .*'ann' on item 7"):
        dawid_skene(twice, **LONG)
