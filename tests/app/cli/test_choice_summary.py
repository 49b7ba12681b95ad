from dataclasses import replace

import numpy as np
import pytest

from labeldist.app.cli.choice_summary import summarise_choice
from labeldist.datasets import make_artificial
from labeldist.learning import BDLDL, BlendedLearner, _choice, choose_learner
from labeldist.published import AAKNN


@pytest.fixture
def table():
    return make_artificial(120, random_state=0)


def test_summary_names_the_comparison_the_choice_and_its_scores(table):
    choice = choose_learner(*table, candidates={"neighbours": AAKNN()}, scoring="clark")
    text = summarise_choice(choice, requested=False)
    mean, neighbours = choice.table
    assert "1 learner with the best constant on 120 rows, in 5 folds. Chosen: neighbours" in text
    assert f"Clark {neighbours['clark']:.3g} instead of {mean['clark']:.3g}" in text
    assert "Requested: neighbours" in summarise_choice(choice, requested=True)


def test_summary_of_a_sample_and_of_the_mean(table, monkeypatch):
    monkeypatch.setattr(_choice, "MAX_ROWS", 50)
    choice = choose_learner(*table, candidates={}, random_state=0)
    text = summarise_choice(choice, requested=False)
    assert "0 learners with the mean on 50 rows drawn at random from 120" in text
    assert "Chosen: the mean" in text


@pytest.mark.parametrize(
    ("weights", "name"),
    [
        ({"linear": 1.06}, "linear, made more certain (power 1.06);"),
        ({"linear": 0.501, "trees": 0.5}, "blend of 50 % linear, 50 % trees;"),
        ({"linear": 0.6, "trees": 0.2}, "blend of 75 % linear, 25 % trees, made less certain"),
    ],
    ids=str,
)
def test_weights_of_a_blend_are_shares(table, weights, name):
    learners = [(learner, BDLDL()) for learner in weights]
    blend = BlendedLearner(learners)
    blend.weights_ = np.array(list(weights.values()))
    choice = choose_learner(*table, candidates={"linear": BDLDL()}, random_state=0)
    text = summarise_choice(replace(choice, estimator=blend), requested=False)
    assert f"Chosen: {name}" in text


def test_summary_names_failures(rng):
    X, D = rng.normal(size=(120, 3)), rng.dirichlet(np.ones(4), size=120)
    candidates = {"wrong": BDLDL(ridge=-1), "linear": BDLDL()}
    choice = choose_learner(X, D, candidates=candidates, random_state=0)
    text = summarise_choice(choice, requested=False)
    assert "wrong failed and was left out" in text
    assert "Chosen: the mean" in text
