"""Models are looked into alike from both ends, whatever they are wrapped in."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.cli.answers import _prepares
from labeldist.enhancement import KM
from labeldist.exceptions import ModelError
from labeldist.models import answers
from labeldist.models._wrapping import answering_part, attribute_of, receiving_part
from tests.models.examples import NEW, fitted

COLUMNS = ColumnTransformer([("some", StandardScaler(), [0, 1, 2])])
WRAPPED = [
    make_pipeline(COLUMNS, BDLDL()),
    make_pipeline("passthrough", make_pipeline(None, COLUMNS, StandardScaler()), BDLDL()),
    make_pipeline(make_pipeline(COLUMNS, BDLDL())),
    EnhancedLearner(BDLE(), make_pipeline(COLUMNS, BDLDL())),
    GridSearchCV(make_pipeline(COLUMNS, BDLDL()), {"bdldl__ridge": [1.0]}, cv=2),
]


@pytest.mark.parametrize("model", WRAPPED, ids=lambda model: type(model).__name__)
def test_both_ends_are_found_through_whatever_is_around_them(model):
    model = fitted(clone(model))
    assert isinstance(receiving_part(model), ColumnTransformer)
    assert _prepares(model)
    assert len(answering_part(model).label_names_) == 4
    assert attribute_of(model, "coef_").shape == (4, 3)


def test_models_without_wrapping_are_both_ends():
    model = fitted(BDLDL())
    assert receiving_part(model) is answering_part(model) is model
    search = fitted(BDLDLCV(cv=2))
    assert answering_part(search) is search
    assert attribute_of(search, "coef_") is search.best_estimator_.coef_
    assert not _prepares(model)
    assert attribute_of(model, "cv_results_") is None


def test_whatever_kind_a_model_is_it_answers():
    learner, enhancer = fitted(make_pipeline(StandardScaler(), BDLDL())), fitted(BDLE())
    assert_array_equal(answers(learner, NEW), learner.predict(NEW))
    assert_array_equal(answers(enhancer, NEW), enhancer.transform(NEW))
    with pytest.raises(ModelError, match=r"KM answers for the rows it was fitted on only.*BDLE or GLLE"):
        answers(fitted(KM()), NEW)
    assert np.allclose(answers(learner, NEW).sum(axis=1), 1)
