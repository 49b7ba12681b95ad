"""Types that users of mypy see."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import labeldist

ARRAY = "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]"

USE = """
import numpy as np

from labeldist import BDLDL, BDLDLCV, choose_learner
from labeldist.learning import SoftmaxRegression

X = np.zeros((3, 2))
D = np.ones((3, 2))
reveal_type(BDLDL().fit(X, D))
reveal_type(BDLDL().fit(X, D).predict(X))
reveal_type(BDLDLCV().fit(X, D).predict(X))
reveal_type(SoftmaxRegression().fit(X, D))
reveal_type(SoftmaxRegression().fit(X, D).predict(X))
reveal_type(choose_learner(X, D).estimator)
reveal_type(choose_learner(X, D).estimator.predict(X))
"""


@pytest.mark.slow
def test_estimators_have_types(tmp_path):
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    package = Path(labeldist.__file__).parent
    assert (package / "py.typed").exists()
    output = subprocess.check_output(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "use.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(package.parent)},
        text=True,
    )
    assert re.findall('Revealed type is "(?:labeldist[a-z._]*[.])?(.*)"', output) == [
        "BDLDL",
        ARRAY,
        ARRAY,
        "SoftmaxRegression",
        ARRAY,
        "FittedLearner",
        ARRAY,
    ]
