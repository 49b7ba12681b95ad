"""Names of labels and features, through whatever a model is wrapped in."""

import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner, models
from labeldist.exceptions import ModelError
from labeldist.models import feature_names_of, label_names_of
from tests.checks import training_data
from tests.models.examples import LABELS, fitted

FEATURES = list("abcde")


@pytest.mark.parametrize(
    "model",
    [
        BDLDL(),
        BDLDLCV(cv=2),
        BDLE(),
        EnhancedLearner(BDLE(), BDLDL()),
        make_pipeline(StandardScaler(), BDLDL()),
        make_pipeline("passthrough", BDLDL()),
        make_pipeline(StandardScaler(), make_pipeline(None, BDLDL())),
        GridSearchCV(make_pipeline(StandardScaler(), BDLDL()), {"bdldl__ridge": [1.0]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_names_are_found_in_order(model):
    X, y = training_data(model)
    model.fit(pd.DataFrame(X, columns=FEATURES), pd.DataFrame(y, columns=LABELS))
    assert label_names_of(model) == LABELS
    assert feature_names_of(model) == FEATURES


def test_tables_without_names():
    model = fitted(make_pipeline(StandardScaler(), BDLDL()))
    assert label_names_of(model) == ["label_0", "label_1", "label_2", "label_3"]
    assert feature_names_of(model) is None


def test_models_without_names():
    with pytest.raises(NotFittedError):
        label_names_of(BDLDL())
    with pytest.raises(NotFittedError):
        feature_names_of(make_pipeline(StandardScaler(), BDLDL()))
    with pytest.raises(ModelError, match="Ridge has no label names"):
        label_names_of(fitted(make_pipeline(StandardScaler(), Ridge())))


def test_public_names_are_found_and_listed():
    assert dir(models) == sorted(models.__all__)
    with pytest.raises(AttributeError, match="no attribute 'unload'"):
        models.unload  # noqa: B018
