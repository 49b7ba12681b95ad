import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist._pipelines import attribute_of, layers
from labeldist.exceptions import ModelError
from labeldist.models._fitted_models import (
    feature_names_of,
    label_names_of,
    predict_distributions,
)
from labeldist.published import KM
from tests.checks import training_data
from tests.models.examples import LABELS, NEW, fitted

COLUMNS = ColumnTransformer([("some", StandardScaler(), [0, 1, 2])])
NESTED = [
    make_pipeline(COLUMNS, BDLDL()),
    make_pipeline(make_pipeline(COLUMNS, BDLDL())),
    EnhancedLearner(BDLE(), make_pipeline(COLUMNS, BDLDL())),
    GridSearchCV(make_pipeline(COLUMNS, BDLDL()), {"bdldl__ridge": [1.0]}, cv=2),
]


def name(model):
    return type(model).__name__


@pytest.mark.parametrize("model", [BDLDL(), BDLDLCV(cv=2), BDLE(), *NESTED], ids=name)
def test_names_of_labels_and_features(model):
    X, y = training_data(model)
    model = clone(model).fit(
        pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(y, columns=LABELS)
    )
    assert label_names_of(model) == LABELS
    assert feature_names_of(model) == list("abcde")


@pytest.mark.parametrize("model", NESTED, ids=name)
def test_parts_of_nested_models(model):
    model = fitted(clone(model))
    assert isinstance(list(layers(model, step=0))[-1], ColumnTransformer)
    assert attribute_of(model, "coef_").shape == (4, 3)
    assert attribute_of(model, "missing_") is None


def test_tables_and_models_without_names():
    model = fitted(make_pipeline(StandardScaler(), BDLDL()))
    assert label_names_of(model) == ["label_0", "label_1", "label_2", "label_3"]
    assert feature_names_of(model) is None
    with pytest.raises(NotFittedError):
        label_names_of(BDLDL())
    with pytest.raises(NotFittedError):
        feature_names_of(make_pipeline(StandardScaler(), BDLDL()))
    with pytest.raises(ModelError, match="Ridge"):
        label_names_of(fitted(make_pipeline(StandardScaler(), Ridge())))


def test_predict_distributions():
    learner, enhancer = fitted(make_pipeline(StandardScaler(), BDLDL())), fitted(BDLE())
    assert_array_equal(predict_distributions(learner, NEW), learner.predict(NEW))
    assert_array_equal(predict_distributions(enhancer, NEW), enhancer.transform(NEW))
    with pytest.raises(ModelError, match="KM"):
        predict_distributions(fitted(KM()), NEW)
