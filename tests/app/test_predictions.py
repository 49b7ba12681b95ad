"""Predictions of learners and enhancers from files."""

import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labeldist import BDLDL, BDLE
from labeldist.app.predictions import predict_distributions
from labeldist.exceptions import ModelError
from labeldist.published import KM
from tests.models.examples import NEW, fitted


def test_predict_distributions():
    learner, enhancer = fitted(make_pipeline(StandardScaler(), BDLDL())), fitted(BDLE())
    assert_array_equal(predict_distributions(learner, NEW), learner.predict(NEW))
    assert_array_equal(predict_distributions(enhancer, NEW), enhancer.transform(NEW))
    with pytest.raises(ModelError, match="KM"):
        predict_distributions(fitted(KM()), NEW)
