"""The identity of methods."""

import importlib
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from labeldist.comparison._identity import NoIdentityError, identity_of
from labeldist.learning import BDLDL, BDLDLCV
from labeldist.metrics import get_scorer
from tests.comparison.mine import METHODS, MyRidge

MINE = """
from sklearn.base import BaseEstimator
import helpers.numbers
import numpy as np


class Mine(BaseEstimator):
    def __init__(self, values=None):
        self.values = values
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A function that writes modules and returns the identity of a class of one of them."""
    names = ("mine_of_test", "helpers", "helpers.numbers", "helpers.deep")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "numbers.py").write_text("from .deep import FACTOR")
    (tmp_path / "helpers" / "deep.py").write_text("FACTOR = 1")
    (tmp_path / "mine_of_test.py").write_text(MINE)

    def identify(path="", source=""):
        if path:
            (tmp_path / path).write_text(source)
        for name in names:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return identity_of(importlib.import_module("mine_of_test").Mine([1.0]))

    yield identify
    for name in names:
        sys.modules.pop(name, None)


def test_identity_follows_the_source_of_the_module_and_of_own_imports(mine):
    first = mine()
    assert mine() == first
    assert mine("unrelated.py", "x = 1") == first
    seen = {first, mine("mine_of_test.py", f"{MINE}        self.twice = True\n")}
    seen.add(mine("helpers/deep.py", "FACTOR = 2"))
    seen.add(mine("helpers/numbers.py", "from .deep import FACTOR as f"))
    seen.add(mine("helpers/__init__.py", ""))
    assert len(seen) == 5


def test_identity_follows_imports_inside_functions(mine, tmp_path):
    source = f"{MINE}\n    def fit(self, X, D):\n        from later import scale\n"
    seen = {mine("mine_of_test.py", source)}
    seen |= {mine("later.py", f"scale = {scale}") for scale in (1, 2)}
    (tmp_path / "later").mkdir()  # a package has priority over a module
    seen.add(mine("later/__init__.py", "from .inner import scale"))
    seen |= {mine("later/inner.py", f"scale = {scale}") for scale in (1, 2)}
    assert len(seen) == 6
    assert "later" not in sys.modules


def identity_after(changes, module):
    """Return the identity of `Mine` after changes of the module, without writing it anew."""
    for name, value in changes.items():
        around, _, attribute = name.rpartition(".")
        setattr(getattr(module, around) if around else module, attribute, value)
    return identity_of(module.Mine([1.0]))


VALUES = f"""
import sys
LIMIT = 1
OTHER: float = 2.0
PAIR = SAME = (1, -2)
small = 3
{MINE}
    weight = 0.5
    kept = {{}}

    class Inner:
        depth = None
"""


def test_constants_and_class_attributes_at_run_time_belong_to_the_identity(mine):
    first = mine("mine_of_test.py", VALUES)
    module = sys.modules["mine_of_test"]
    same = {"small": 4, "LIMIT": 1, "Mine.weight": 0.5, "Mine.kept": {"a": 1}}
    assert identity_after(same, module) == first
    seen = {first}
    for name, value in {
        "LIMIT": 1.0,
        "OTHER": None,
        "PAIR": (1, -3),
        "SAME": "text",
        "NEW": True,
        "Mine.weight": 0.25,
        "Mine.added": 1,
    }.items():
        seen.add(identity_after({name: value}, module))
    assert len(seen) == 8
    module.Mine.Inner.depth = 3
    assert identity_of(module.Mine([1.0])) not in seen
    assert mine("mine_of_test.py", VALUES) == first


def test_values_that_the_source_computes_belong_to_the_identity(mine, monkeypatch):
    source = f"import sys\n{MINE}\n    weight = float(sys.argv[1])\n"
    constant = f"import sys\nWEIGHT = float(sys.argv[1])\n{MINE}"
    for text in (source, constant):
        seen = []
        for argument in ("0.5", "0.25", "0.5"):
            monkeypatch.setattr(sys, "argv", ["run.py", argument])
            seen.append(mine("mine_of_test.py", text))
        assert seen[0] == seen[2] != seen[1]


def test_constants_of_own_imports_belong_to_the_identity(mine):
    first = mine()
    module = sys.modules["mine_of_test"]
    sys.modules["helpers.deep"].FACTOR = 3
    assert identity_of(module.Mine([1.0])) != first
    sys.modules["helpers.deep"].FACTOR = 1
    assert identity_of(module.Mine([1.0])) == first


def test_import_of_a_module_with_literals_keeps_the_identity(mine):
    """A module that a method imports when it is fitted may be imported at the second call."""
    source = f"{MINE}\n    def fit(self, X, D):\n        import later\n"
    mine("later.py", "SCALE = 2\n\n\nclass Step:\n    size = 1\n")
    first = mine("mine_of_test.py", source)
    module = sys.modules["mine_of_test"]
    module.Mine().fit(None, None)
    assert "later" in sys.modules
    try:
        assert identity_of(module.Mine([1.0])) == first
        sys.modules["later"].Step.size = 2
        assert identity_of(module.Mine([1.0])) != first
    finally:
        del sys.modules["later"]


def test_identity_of_content():
    arrays = np.zeros(5000), np.zeros(5000)
    arrays[1][2500] = 1.0
    different = [
        *METHODS.values(),
        *(MyRidge(values) for values in arrays),  # alike in their abbreviated text
        make_pipeline(StandardScaler(), BDLDL()),
        make_pipeline(StandardScaler(), BDLDL(ridge=2.0)),
        make_pipeline(FunctionTransformer(np.exp), BDLDL()),
        make_pipeline(FunctionTransformer(np.log), BDLDL()),
        BDLDLCV(scoring=get_scorer("clark")),
        BDLDLCV(scoring=get_scorer("cosine")),
    ]
    assert len({identity_of(method) for method in different}) == len(different)
    again = MyRidge(np.zeros(5000))
    assert identity_of(again) == identity_of(MyRidge(arrays[0]))


def local_class():
    class Local(BaseEstimator):
        pass

    return Local()


def scorer(estimator, X, D):
    return estimator.score(X, D)


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        (FunctionTransformer(lambda X: X), "lambda"),
        (local_class(), "inside a function"),
        (BDLDLCV(scoring=lambda estimator, X, D: 0.0), "lambda"),
        (MyRidge(x for x in [1.0]), "pickled"),
    ],
)
def test_objects_without_identity(method, reason):
    with pytest.raises(NoIdentityError, match=reason):
        identity_of(method)
    assert identity_of(BDLDLCV(scoring=scorer)) == identity_of(BDLDLCV(scoring=scorer))


def test_classes_of_a_session_have_no_identity(monkeypatch):
    class Session(BaseEstimator):
        pass

    main = sys.modules["__main__"]
    Session.__module__ = "__main__"
    Session.__qualname__ = "Session"
    monkeypatch.setattr(main, "Session", Session, raising=False)
    monkeypatch.setattr(main, "__file__", __file__, raising=False)
    assert len(identity_of(Session())) == 32
    monkeypatch.delattr(main, "__file__")
    with pytest.raises(NoIdentityError, match="not in a file"):
        identity_of(Session())
