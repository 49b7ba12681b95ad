"""What every part of the tests may use."""

import os

# scikit-learn's check that array API dispatch changes nothing skips itself without this, and SciPy reads it once.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# The machines that run the tests are shared: a slow example is no failure, and every run tries the same examples.
settings.register_profile("labeldist", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("labeldist")


@pytest.fixture(scope="session")
def benchmark_folder() -> Path:
    """The folder of the benchmark sets; tests on real data are skipped where there is none."""
    folder = os.environ.get("LABELDIST_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LABELDIST_DATA does not name a folder with the benchmark sets")
    return Path(folder)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
