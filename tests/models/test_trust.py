"""Which types are loaded: all that our models consist of, and nothing that does anything."""

import inspect
import sys

import pytest
from sklearn.base import BaseEstimator

from labeldist import BDLDL, enhancement, features, learning
from labeldist.exceptions import MissingExtraError
from labeldist.models import save, to_onnx
from labeldist.models.trust import PLAIN, trusted_types
from labeldist.solvers.moments import Moments
from tests.models.examples import fitted


@pytest.mark.parametrize("room", [enhancement, features, learning], ids=lambda room: room.__name__)
def test_every_public_estimator_is_trusted(room):
    public = [getattr(room, name) for name in room.__all__]
    estimators = [kind for kind in public if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
    assert estimators
    assert {f"{kind.__module__}.{kind.__name__}" for kind in estimators} <= trusted_types()


def test_what_estimators_hold_is_trusted():
    assert f"{Moments.__module__}.Moments" in trusted_types()


def test_nothing_else_is():
    others = [
        name for name in trusted_types() if not name.startswith(("labeldist.", "sklearn.model_selection._split."))
    ]
    assert sorted(others) == sorted(PLAIN)
    rooms = {name.split(".")[1] for name in trusted_types() if name.startswith("labeldist.")}
    assert rooms == {"enhancement", "features", "learning", "solvers"}


@pytest.mark.parametrize(
    ("module", "keep", "extra"),
    [("skops.io", save, "app"), ("skl2onnx", to_onnx, "onnx"), ("skl2onnx.common.data_types", to_onnx, "onnx")],
)
def test_without_a_dependency_the_extra_that_brings_it_is_named(tmp_path, monkeypatch, module, keep, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'labeldist\[{extra}\]'"):
        keep(fitted(BDLDL()), tmp_path / "model")
    assert not list(tmp_path.iterdir())
