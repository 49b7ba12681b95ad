"""Statements of docs/reliability.md about the code."""

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import normalize

import labeldist
from labeldist import BayesLE, VoteLE
from labeldist.features import KernelFeatures
from tests.checks import training_data
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS, SPECIAL

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[1] / "docs" / "reliability.md").read_text(encoding="utf-8")
MODULES = sorted(Path(labeldist.__file__).parent.rglob("*.py"))
RUNS_CODE = {"marshal", "shelve", "dill", "cloudpickle", "runpy", "code", "subprocess", "ctypes"}
NETWORK = {"socket", "ssl", "urllib", "http", "ftplib", "smtplib"}
NETWORK |= {"requests", "urllib3", "httpx", "pooch", "distributed"}


@cache
def nodes(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imported(path):
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "require":
            yield ast.unparse(node.args[0]).strip("'").split(".")[0]


def only_writes_pickles(path):
    """Return whether a module uses nothing of pickle but the class that writes."""
    return {name for name in map(ast.unparse, nodes(path)) if name.startswith("pickle.")} == {
        "pickle.Pickler"
    }


def called(path):
    return (ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_unpickles_or_evaluates(path):
    forbidden = {"eval", "exec", "compile", "os.system", "os.popen", "joblib.load"}
    modules = RUNS_CODE.intersection(imported(path))
    assert not modules or (modules == {"pickle"} and only_writes_pickles(path))
    assert not forbidden.intersection(called(path))
    # An identity is a hash of pickled bytes, which are never read.
    assert "pickle" not in imported(path) or path.name == "_identity.py"


def test_only_the_downloads_use_the_network():
    reaching = [path.name for path in MODULES if NETWORK.intersection(imported(path))]
    assert reaching == ["_fetch.py"]


def arrays(thing, seen):
    """Yield all arrays of a fitted estimator."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing
    if hasattr(thing, "__dict__") and not isinstance(thing, type):
        thing = vars(thing)
    if isinstance(thing, dict):
        thing = list(thing.values())
    if isinstance(thing, list | tuple):
        for value in thing:
            yield from arrays(value, seen)


def keeps_a_row(estimator):
    """Return whether a fitted estimator contains a multiple of a training row.

    The row may be raw, centred or standardised.
    """
    X, y = training_data(estimator)
    centred = X - X.mean(axis=0)
    rows = normalize(np.vstack([X, centred, centred / X.std(axis=0)]))
    tables = arrays(clone(estimator).fit(X, y), set())
    held = [normalize(table) for table in tables if table.shape[1:] == X.shape[1:]]
    return any(np.isclose(table[:, None], rows, atol=1e-7).all(axis=2).any() for table in held)


@IGNORE_TAG_WARNINGS
def test_page_names_the_models_that_keep_training_rows():
    others = [KernelFeatures(), BayesLE(regressor="kernel"), VoteLE("auto")]
    keeping = {
        type(estimator).__name__
        for estimator in [*ESTIMATORS, *SPECIAL, *others]
        if keeps_a_row(estimator)
    }
    (named,) = re.findall(r"\*\*Privacy.\*\* (.*?) keep training rows", PAGE, flags=re.DOTALL)
    # The last three do so with some parameters, or are no learner of distributions.
    assert keeping | {"BayesLE", "PLLE", "VoteLE"} == set(re.findall(r"`(\w+)`", named))
