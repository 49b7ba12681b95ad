"""Effects of the options of estimators, from `options.toml`."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from labeldist.published import METHODS
from tests.checks import answers, example, predictions, training_data

CASES = tomllib.loads(Path(__file__).with_name("options.toml").read_text("utf-8"))
CASES["BDLE"]["options"].append({"kernel": lambda A, B: (1 + A @ B.T) ** 2})
CLASSES = {method.estimator: method.estimator_class() for method in METHODS}


def outcome(name, **options):
    """Return the distributions of the training rows and of new rows."""
    estimator = CLASSES[name](**CASES[name].get("parameters", {}) | options)
    X, y = training_data(estimator)
    units = np.arange(1, 6)
    fitted = estimator.fit(X * units, y)
    new = predictions(fitted, example(seed=7)[0] * units)
    return np.vstack([answers(fitted, X * units), *([] if new is None else new)])


@pytest.mark.filterwarnings("ignore")  # of early stops and weak graphs
@pytest.mark.parametrize(
    ("name", "options"), [(name, option) for name in CASES for option in CASES[name]["options"]]
)
def test_every_option_has_an_effect(name, options):
    assert np.abs(outcome(name, **options) - outcome(name)).max() > 1e-4
