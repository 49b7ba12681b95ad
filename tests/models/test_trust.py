"""Which types are loaded: all that our models consist of, and nothing that does anything."""

import inspect
import sys
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from labeldist import BDLDL, enhancement, features, learning
from labeldist._solvers.moments import Moments
from labeldist.exceptions import MissingExtraError
from labeldist.learning import AAKNN
from labeldist.models import save, to_onnx
from labeldist.models._trust import PLAIN, TRANSFORMERS, trusted_types
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
    ours = {name for name in trusted_types() if name.startswith("labeldist.")}
    assert {name.split(".")[1] for name in ours} == {"enhancement", "features", "learning", "solvers"}
    others = {kind.__module__ + "." + kind.__name__ for kind in (*TRANSFORMERS, *PLAIN)}
    rest = trusted_types() - ours - others
    assert all(name.startswith("sklearn.model_selection._split.") for name in rest)


def test_no_trusted_type_does_anything_of_its_own_when_it_is_built():
    named = [name.rpartition(".") for name in trusted_types()]
    for kind in [getattr(import_module(module), name) for module, _, name in named]:
        own = getattr(kind, "__setstate__", None)
        assert kind is AAKNN or own in (None, BaseEstimator.__setstate__, np.dtype.__setstate__), kind


def test_only_pipelines_have_a_memory():
    assert [kind for kind in TRANSFORMERS if "memory" in inspect.signature(kind).parameters] == [Pipeline]


@pytest.mark.parametrize(
    ("module", "keep", "extra"),
    [("skops.io", save, "app"), ("skl2onnx", to_onnx, "onnx"), ("skl2onnx.common.data_types", to_onnx, "onnx")],
)
def test_without_a_dependency_the_extra_that_brings_it_is_named(tmp_path, monkeypatch, module, keep, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'labeldist\[{extra}\]'"):
        keep(fitted(BDLDL()), tmp_path / "model")
    assert not list(tmp_path.iterdir())
