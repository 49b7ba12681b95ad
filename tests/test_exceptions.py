"""Exceptions, and the error for a missing extra."""

import inspect
import pickle
import sys

import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

from labeldist import BDLDL, BDLE, EnhancedLearner, exceptions
from labeldist._extras import require
from labeldist.datasets import binarize, make_artificial
from labeldist.exceptions import (
    LabelDistError,
    LabelDistWarning,
    LabelWarning,
    MissingExtraError,
    SingularCoefficientError,
)
from labeldist.metrics import get_scorer

CLASSES = [c for _, c in inspect.getmembers(exceptions, inspect.isclass) if c.__module__ == exceptions.__name__]


def test_all_classes_are_public_and_have_a_common_base():
    assert sorted(c.__name__ for c in CLASSES) == exceptions.__all__
    assert all(issubclass(c, LabelDistError | LabelDistWarning) for c in CLASSES)


def test_singular_coefficient_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(SingularCoefficientError("B is singular", "B")))
    assert str(error) == "B is singular"
    assert error.coefficient == "B"


def test_missing_packages_are_named_with_their_extra():
    with pytest.raises(MissingExtraError, match=r"not_there.*labeldist\[tables\]"):
        require("not_there.parquet", "tables")


def test_missing_dependencies_of_a_package_are_not_our_extra(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="not_there") as caught:
        require("half_there", "tables")
    assert not isinstance(caught.value, MissingExtraError)


@pytest.mark.parametrize("scoring", [None, "cosine"])
def test_searches_warn_once_about_tags(scoring):
    X, D = make_artificial(40, random_state=0)
    L, scorer = binarize(D), scoring and get_scorer(scoring)
    exceptions._WARNED_IN_SEARCHES.clear()
    for search in (
        lambda: cross_val_score(BDLDL(), X, L, scoring=scorer),
        lambda: GridSearchCV(BDLDL(), {"ridge": [0.1, 1.0]}, scoring=scorer).fit(X, L),
    ):
        with pytest.warns(LabelWarning) as caught:
            search()
        assert [warning.filename for warning in caught] == [__file__]
    cross_val_score(EnhancedLearner(BDLE(), BDLDL()), X, L, scoring=scorer)  # without a warning
