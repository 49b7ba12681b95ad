import pickle

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.exceptions import NotADistributionError
from labeldist.metrics import MEASURES, get_scorer


@pytest.mark.parametrize("name", list(MEASURES))
def test_higher_is_better_for_every_scorer(name):
    X, D = make_artificial(120, random_state=0)
    model = BDLDL().fit(X, D)
    value = MEASURES[name].mean(D, model.predict(X))
    sign = 1 if MEASURES[name].higher_is_better else -1
    assert get_scorer(name)(model, X, D) == pytest.approx(sign * value)


def test_scorers_work_in_cross_validation_and_search():
    X, D = make_artificial(120, random_state=0)
    assert (cross_val_score(BDLDL(), X, D, scoring=get_scorer("kl_divergence")) < 0).all()
    search = GridSearchCV(BDLDL(), {"ridge": [1e-2, 1e6]}, scoring=get_scorer("cosine")).fit(X, D)
    assert search.best_params_ == {"ridge": 1e-2}


@pytest.mark.parametrize("name", list(MEASURES))
def test_scorers_can_be_sent_to_other_processes(name):
    X, D = make_artificial(120, random_state=0)
    model, scorer = BDLDL().fit(X, D), get_scorer(name)
    assert pickle.loads(pickle.dumps(scorer))(model, X, D) == scorer(model, X, D)


def test_an_unknown_measure_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match="'euclid'; choose from chebyshev, clark"):
        get_scorer("euclid")


def test_true_degrees_are_normalised_as_learners_do():
    X, D = make_artificial(120, random_state=0)
    model, scorer = BDLDL().fit(X, D), get_scorer("clark")
    assert scorer(model, X, 100 * D) == pytest.approx(scorer(model, X, D))
    weight = np.arange(120)
    repeated = scorer(model, np.repeat(X, weight, axis=0), np.repeat(D, weight, axis=0))
    assert scorer(model, X, D, sample_weight=weight) == pytest.approx(repeated)


def test_bad_truth_is_called_by_the_name_that_scikit_learn_gives_it():
    X, D = make_artificial(120, random_state=0)
    with pytest.raises(NotADistributionError, match=r"^y is negative"):
        get_scorer("clark")(BDLDL().fit(X, D), X, -D)
