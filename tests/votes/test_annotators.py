"""Models of annotators, against the EM algorithm written down plainly and against votes whose truth is known."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.exceptions import TableError
from labeldist.votes import from_votes

COLUMNS = {"item": "id", "annotator": "who", "label": "emotion"}
LABELS = np.array(["awe", "fear", "joy"])
RATES = {"ann": 0.95, "bob": 0.9, "cem": 0.6, "dan": 0.4}


def drawn_votes(n=80):
    """True labels, and votes of annotators who are right at different rates and else say anything."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=n)
    rows = [
        (i, who, LABELS[truth[i] if rng.random() < rate else rng.integers(3)])
        for i in range(n)
        for who, rate in RATES.items()
    ]
    return truth, pd.DataFrame(rows, columns=["id", "who", "emotion"]).sample(frac=1, random_state=0)


def expectation_maximisation(table, items, error_matrix, steps=100):
    """Dawid's and Skene's algorithm from the shares of votes; (items, labels)."""
    known = {"id": items, "who": list(RATES), "emotion": list(LABELS)}
    i, a, k = (np.array([known[column].index(cell) for cell in table[column]]) for column in known)
    belief = np.zeros((len(items), 3))
    np.add.at(belief, (i, k), 1 / len(RATES))
    for _ in range(steps):
        said = np.zeros((len(RATES), 3, 3))  # annotator, label that was said, label that is true
        np.add.at(said, (a, k), belief[i])
        log_belief = np.tile(np.log(belief.mean(axis=0)), (len(items), 1))
        np.add.at(log_belief, i, np.log(error_matrix(said)[a, k]))
        belief = np.exp(log_belief - log_belief.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
    return belief


def full_matrix(said):
    return np.maximum(said, 1e-12) / said.sum(axis=1, keepdims=True)


def one_rate(said):
    right = np.trace(said, axis1=1, axis2=2) / said.sum(axis=(1, 2))
    return np.where(np.eye(3, dtype=bool), right[:, None, None], (1 - right[:, None, None]) / 2)


@pytest.mark.parametrize(("aggregator", "error_matrix"), [("dawid_skene", full_matrix), ("one_coin", one_rate)])
def test_degrees_are_what_the_algorithm_arrives_at_and_reliable_annotators_count_for_more(aggregator, error_matrix):
    truth, table = drawn_votes()
    found = from_votes(table, **COLUMNS, aggregator=aggregator)
    assert found.label_names == LABELS.tolist()
    expected = expectation_maximisation(table, found.items, error_matrix)
    assert_allclose(found.distributions, expected, atol=0.02)  # crowd-kit stops a little earlier
    assert_allclose(found.distributions.sum(axis=1), 1, rtol=1e-12)
    assert_array_equal(found.weights, 4)
    modelled, counted = (
        np.mean(each.distributions.argmax(axis=1) == truth[each.items])
        for each in (found, from_votes(table, **COLUMNS))
    )
    assert modelled > counted + 0.02


def test_wide_tables_say_who_voted_too():
    _, table = drawn_votes(30)
    wide = table.pivot(index="id", columns="who", values="emotion").reset_index()
    found = from_votes(wide, item="id", annotators=list(RATES), aggregator="dawid_skene")
    expected = from_votes(table, **COLUMNS, aggregator="dawid_skene")
    order = np.argsort(expected.items)
    assert_allclose(found.distributions, expected.distributions[order], atol=1e-8)


def test_labels_that_nobody_votes_for_have_degree_zero_and_one_label_degree_one():
    _, table = drawn_votes(10)
    found = from_votes(table, **COLUMNS, aggregator="dawid_skene", label_names=["joy", "none", "fear", "awe"])
    assert_array_equal(found.distributions[:, 1], 0)
    agreed = table.assign(emotion="joy")
    for aggregator in ("dawid_skene", "one_coin"):
        assert_array_equal(from_votes(agreed, **COLUMNS, aggregator=aggregator).distributions, 1)


def test_what_a_model_of_annotators_cannot_use_is_refused():
    _, table = drawn_votes(10)
    with pytest.raises(ValueError, match="aggregator must be one of dawid_skene, one_coin, or None; got 'glad'"):
        from_votes(table, **COLUMNS, aggregator="glad")
    with pytest.raises(ValueError, match="must know who voted"):
        from_votes(table, item="id", label="emotion", aggregator="one_coin")
    with pytest.raises(ValueError, match="must know who voted"):
        from_votes([[1, 2]], aggregator="one_coin")
    with pytest.raises(ValueError, match="smoothing adds votes of nobody"):
        from_votes(table, **COLUMNS, aggregator="one_coin", smoothing=1)
    both = pd.DataFrame({"id": [7, 8, 7], "who": ["ann", "ann", "ann"], "emotion": ["joy", "joy", "fear"]})
    with pytest.raises(TableError, match="Data row 3 is a second vote of the same annotator on item 7"):
        from_votes(both, **COLUMNS, aggregator="dawid_skene")
