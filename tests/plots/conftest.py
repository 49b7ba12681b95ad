"""Pictures are drawn without a screen, and each test leaves none behind."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _closed_figures():
    mpl.use("agg")
    yield
    plt.close("all")
