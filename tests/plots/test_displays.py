"""Tests of what all displays have in common, and of saving."""

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import mpltern  # noqa: F401  # registers the ternary projection
import numpy as np
import pytest

from labeldist import BDLDL, plots
from labeldist.datasets import make_artificial
from labeldist.exceptions import MissingExtraError, OutputError
from labeldist.plots import DistributionDisplay, save_picture
from labeldist.votes import from_votes
from tests.global_state import global_state
from tests.plots.drawn import legend_texts

X, D = make_artificial(12, random_state=0)
MODEL = BDLDL().fit(X, D)
SCORES = np.array([[0.1, 0.2]])
RANKS = {"A": 1.2, "B": 2.1, "C": 2.7}
# Matplotlib would skip the first in legends, and read mathematics in the second; the third is cut.
NAMES = ["_hidden", "$5 to $6", "x" * 29]


def of_rows(kind):
    return lambda ax: kind.from_distributions(D, label_names=NAMES, ax=ax)


def of_predictions(kind):
    return lambda ax: plots.PredictionDisplay.from_predictions(
        D, D, kind=kind, label_names=NAMES, ax=ax
    )


DRAWINGS = {
    "ambiguity": of_rows(plots.AmbiguityDisplay),
    "distributions": of_rows(plots.DistributionDisplay),
    "ternary": of_rows(plots.TernaryDisplay),
    "prediction bars": of_predictions("bars"),
    "prediction points": of_predictions("scatter"),
    "calibration": lambda ax: plots.CalibrationDisplay.from_predictions(D, D, ax=ax),
    "coefficients": lambda ax: plots.CoefficientDisplay.from_estimator(MODEL, ax=ax),
    "critical difference": lambda ax: plots.CriticalDifferenceDisplay(RANKS, 1.0).plot(ax),
    "expected error": lambda ax: plots.ExpectedErrorDisplay.from_votes(
        from_votes([[3, 0], [1, 2]]), ax=ax
    ),
    "importance": lambda ax: plots.FeatureImportanceDisplay.from_estimator(MODEL, X, D, ax=ax),
    "influence": lambda ax: plots.ParameterInfluenceDisplay(
        SCORES, [1], [1, 2], "a", "b", "score"
    ).plot(ax),
}
every_drawing = pytest.mark.parametrize("name", DRAWINGS)


def add_axes(name, figure):
    return figure.add_subplot(projection="ternary" if name == "ternary" else None)


@every_drawing
def test_given_axes_are_used_and_global_state_is_unchanged(name):
    ax = add_axes(name, plt.figure())
    current = plt.figure()
    before = dict(mpl.rcParams), mpl.get_backend(), global_state()
    display = DRAWINGS[name](ax)
    assert display.ax_ is ax
    assert ax.has_data()
    assert plt.get_fignums() == [1, 2]
    assert plt.gcf() is current
    assert not current.axes
    assert (dict(mpl.rcParams), mpl.get_backend(), global_state()) == before


@every_drawing
def test_new_figure_is_drawn_without_warnings_and_plot_can_be_repeated(name, tmp_path):
    display = DRAWINGS[name](None)
    assert plt.gcf() is display.figure_
    display.figure_.draw_without_rendering()
    ax = add_axes(name, plt.figure().subfigures(1, 2)[1])
    assert display.plot(ax) is display
    assert display.figure_ is ax.figure
    save_picture(display, tmp_path / "subfigure.png")


@pytest.mark.parametrize(
    "name", ["ambiguity", "distributions", "prediction bars", "prediction points"]
)
def test_legend_has_all_labels(name):
    assert legend_texts(DRAWINGS[name](None).ax_) == ["_hidden", r"\$5 to \$6", "x" * 27 + "…"]


def test_drawings_cover_all_displays():
    public = {name for name in plots.__all__ if name.endswith("Display")}
    assert {type(draw(None)).__name__ for draw in DRAWINGS.values()} == public


def test_import_does_not_import_matplotlib():
    code = "import sys, labeldist.plots; print({'matplotlib', 'mpltern'} & set(sys.modules))"
    output = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert output == "set()\n"


@pytest.mark.parametrize(
    ("name", "module"), [("distributions", "matplotlib.pyplot"), ("ternary", "mpltern")]
)
def test_missing_extra_is_named(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"labeldist\[app\]"):
        DRAWINGS[name](None)


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")],
)
def test_save_picture_is_reproducible_in_each_format(tmp_path, suffix, start):
    settings = dict(mpl.rcParams)
    display = DistributionDisplay.from_distributions([[0.5, 0.5], [0.2, 0.8]])
    one, two = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
    save_picture(display, one)
    save_picture(display, two)
    assert one.read_bytes().startswith(start)
    assert one.read_bytes() == two.read_bytes()
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("name", ["picture", "picture.jpg", "file/picture.png"])
def test_save_picture_raises_for_other_formats_and_unwritable_paths(tmp_path, name):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OutputError, match="picture"):
        save_picture(DistributionDisplay.from_distributions([[0.5, 0.5]]), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
