import pytest

from labeldist.datasets import make_artificial


@pytest.fixture(scope="module")
def curved():
    """Distributions that a linear map explains in part, and neighbours nearly whole."""
    return make_artificial(200, random_state=0)
