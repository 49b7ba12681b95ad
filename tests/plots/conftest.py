"""Fixtures of the tests of displays."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    mpl.use("agg")
    plt.close("all")
    yield
    plt.close("all")
