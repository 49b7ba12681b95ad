"""What is said of a choice: how much better than nothing it is, and what to be careful of."""

import numpy as np

from labeldist.learning import AAKNN, BDLDL, Choice, choose_learner
from labeldist.learning._candidates import THE_MEAN
from labeldist.learning._choice import pick
from labeldist.learning._trials import Trial
from tests.learning.test_choice import FEW


def test_the_paragraph_says_how_much_better_than_nothing(curved):
    chosen = choose_learner(*curved, candidates=FEW, random_state=0)
    skill = f"{100 * chosen.skill:.0f} %"
    value, mean = (chosen.trials[i].mean("kl_divergence") for i in (2, 0))
    assert chosen.paragraph.startswith(
        "2 learners and the mean distribution were compared by cross-validation on 200 rows, 5 folds. Chosen: "
        f"neighbours; it explains {skill} of what the mean leaves unexplained (Kullback-Leibler {value:.3g} instead of "
        f"{mean:.3g}), better in 5 of 5 folds. Next: linear ("
    )
    assert "Caution" not in chosen.paragraph


def test_the_paragraph_tells_of_less_simple_ones_that_are_no_better(curved):
    X, D = curved
    twice = choose_learner(X, D, candidates={"one": AAKNN(), "same": AAKNN()}, random_state=0)
    assert twice.name == "one"
    assert "Not clearly better, and less simple: same (" in twice.paragraph
    alone = choose_learner(X, D, candidates={"one": AAKNN()}, random_state=0)
    assert alone.paragraph.startswith("1 learner and the mean distribution were compared")
    assert alone.paragraph.endswith("folds.")


def test_the_paragraph_admits_where_another_measure_disagrees():
    mean = Trial(THE_MEAN, None, {"kl_divergence": np.array([0.1, 0.11]), "cosine": np.array([0.8, 0.81])}, np.ones(2))
    other = Trial("it", None, {"kl_divergence": np.array([0.3, 0.2]), "cosine": np.array([0.9, 0.91])}, np.ones(2), 1.0)
    told = Choice(None, pick([mean, other], "cosine").name, (mean, other), "cosine", 500, 500, 2, 1.0, 0.1).paragraph
    assert "by Kullback-Leibler it is not better than predicting the mean (Cosine 0.905 instead of 0.805" in told


def test_predictions_that_hardly_vary_are_told(curved):
    X, D = curved
    chosen = choose_learner(X, D, candidates={"timid": BDLDL(ridge=1e3)}, random_state=0)
    assert chosen.name == "timid"
    assert "predictions hardly vary" in chosen.paragraph


def test_rows_that_are_all_the_same_leave_nothing_to_learn(curved):
    X, _ = curved
    chosen = choose_learner(X, np.full((200, 4), 0.25), candidates=FEW, random_state=0)
    assert chosen.name == THE_MEAN
    assert chosen.skill == 1
    assert "All rows have the same distribution" in chosen.paragraph
    only_the_mean = choose_learner(*curved, candidates={})
    assert only_the_mean.paragraph.startswith("0 learners and the mean")
