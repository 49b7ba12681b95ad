"""Fixtures of the tests of published methods."""

import pytest

from labeldist.datasets import binarize, make_artificial


@pytest.fixture
def tags():
    """Features and logical labels of 40 rows."""
    X, D = make_artificial(40, random_state=0)
    return X, binarize(D).astype(float)
