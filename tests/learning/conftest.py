import numpy as np
import pytest

from labeldist.datasets import make_artificial


@pytest.fixture(scope="module")
def curved():
    """Distributions that a linear map explains in part, and neighbours almost completely."""
    return make_artificial(200, random_state=0)


@pytest.fixture
def table(rng):
    """Return features whose scores, with noise, give the distributions."""
    X = rng.normal(1, 2, size=(50, 4))
    scores = np.exp(X[:, :3] / 3 + rng.normal(scale=0.2, size=(50, 3)))
    return X, scores / scores.sum(axis=1, keepdims=True)
