"""What all displays have in common: whose axes they draw on, what they leave alone, and what they need."""

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import mpltern  # noqa: F401  # makes ternary axes known
import numpy as np
import pytest

import labeldist.plots
from labeldist import BDLDL, BDLE
from labeldist.datasets import binarize, make_artificial
from labeldist.exceptions import MissingExtraError
from labeldist.plots import (
    AmbiguityDisplay,
    CalibrationDisplay,
    CoefficientDisplay,
    DistributionDisplay,
    ParameterInfluenceDisplay,
    PredictionDisplay,
    RecoveryPathDisplay,
    TernaryDisplay,
)
from tests.global_state import global_state

X, D = make_artificial(12, random_state=0)
MODEL = BDLDL().fit(X, D)
NAMES = ["_hidden", "$5", "$6"]  # to Matplotlib a name for no legend, and mathematics

DRAWINGS = {
    "ambiguity": lambda ax: AmbiguityDisplay.from_distributions(D, label_names=NAMES, ax=ax),
    "calibration": lambda ax: CalibrationDisplay.from_predictions(D, D, ax=ax),
    "coefficients": lambda ax: CoefficientDisplay.from_estimator(MODEL, label_names=NAMES, ax=ax),
    "distributions": lambda ax: DistributionDisplay.from_distributions(D, label_names=NAMES, ax=ax),
    "influence": lambda ax: ParameterInfluenceDisplay(
        np.array([[0.1, 0.2]]),
        row_values=[1],
        column_values=[1, 2],
        row_name="a",
        column_name="b",
        title="score",
        higher_is_better=True,
    ).plot(ax),
    "prediction bars": lambda ax: PredictionDisplay.from_predictions(D, D, kind="bars", label_names=NAMES, ax=ax),
    "prediction points": lambda ax: PredictionDisplay.from_predictions(D, D, label_names=NAMES, ax=ax),
    "recovery": lambda ax: RecoveryPathDisplay.from_estimator(BDLE(), X, binarize(D), D, "sharpness", [1, 2], ax=ax),
    "ternary": lambda ax: TernaryDisplay.from_distributions(D, label_names=NAMES, ax=ax),
}


def axes_for(name, place):
    return place.add_subplot(projection="ternary" if name == "ternary" else None)


@pytest.mark.parametrize("name", DRAWINGS)
def test_axes_that_are_given_are_drawn_on_and_nothing_else_is_touched(name):
    ax = axes_for(name, plt.figure())
    current = plt.figure()
    settings, backend, others = dict(mpl.rcParams), mpl.get_backend(), global_state()
    display = DRAWINGS[name](ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert ax.has_data()
    assert plt.get_fignums() == [1, 2]
    assert plt.gcf() is current
    assert not current.axes
    assert dict(mpl.rcParams) == settings
    assert mpl.get_backend() == backend
    assert global_state() == others


@pytest.mark.parametrize("name", DRAWINGS)
def test_without_axes_there_is_one_new_figure_of_pyplot(name):
    display = DRAWINGS[name](None)
    assert plt.get_fignums() == [1]
    assert plt.gcf() is display.figure_
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_display_can_be_drawn_again_elsewhere(name):
    display = DRAWINGS[name](None)
    ax = axes_for(name, plt.figure().subfigures(1, 2)[1])
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


@pytest.mark.parametrize("name", ["ambiguity", "distributions", "prediction bars", "prediction points"])
def test_every_label_is_in_the_legend_letter_by_letter(name):
    texts = DRAWINGS[name](None).ax_.get_legend().get_texts()
    assert sorted(text.get_text() for text in texts) == sorted(NAMES)
    assert not any(text.get_parse_math() for text in texts)


def test_all_displays_are_drawn_here():
    public = {name for name in labeldist.plots.__all__ if name.endswith("Display")}
    assert {type(draw(None)).__name__ for draw in DRAWINGS.values()} == public


def test_importing_displays_does_not_import_matplotlib():
    code = "import sys, labeldist.plots; print({'matplotlib', 'mpltern'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("name", "module"), [("distributions", "matplotlib.pyplot"), ("recovery", "matplotlib"), ("ternary", "mpltern")]
)
def test_the_extra_that_is_missing_is_named(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    package = module.partition(".")[0]
    with pytest.raises(MissingExtraError, match=rf"needs {package}, .*: pip install 'labeldist\[app\]'"):
        DRAWINGS[name](None)
