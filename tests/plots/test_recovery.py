import numpy as np
import pandas as pd
import pytest

from labeldist import BDLE
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.metrics import cosine, kl_divergence
from labeldist.plots import RecoveryPathDisplay
from tests.plots.looks import inside, legend_texts, tick_texts


@pytest.fixture(scope="module")
def data():
    X, D = make_artificial(40, random_state=0)
    return X, binarize(D), D


def display_of(param_range, scores, measure="kl_divergence"):
    return RecoveryPathDisplay(
        param_name="a", param_range=param_range, scores=np.array(scores), baselines={}, name="E", measure=measure
    ).plot()


def test_the_path_is_what_each_value_recovers(data):
    X, L, D = data
    values = [0.1, 0.5, 2.0]
    display = RecoveryPathDisplay.from_estimator(BDLE(), X, L, 3 * D, "sharpness", values)
    expected = [kl_divergence(D, BDLE(sharpness=value).fit_transform(X, L)) for value in values]
    np.testing.assert_allclose(display.line_.get_xydata(), np.column_stack([values, expected]))
    assert display.best_ == int(np.argmin(expected))
    assert display.ax_.get_xlabel() == "sharpness"
    assert display.ax_.get_ylabel() == "Kullback-Leibler (lower is better)"


def test_trivial_enhancers_are_lines(data):
    X, L, D = data
    display = RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "sharpness", [1.0], measure="cosine")
    expected = {"Uniform": Uniform(), "LogicalSoftmax": LogicalSoftmax()}
    for name, enhancer in expected.items():
        assert set(display.baseline_lines_[name].get_ydata()) == {cosine(D, enhancer.fit_transform(X, L))}
    assert len({line.get_linestyle() for line in display.baseline_lines_.values()}) == len(display.baselines)
    assert display.ax_.get_ylabel() == "Cosine (higher is better)"
    assert legend_texts(display.ax_)[:3] == ["BDLE", "best: 10⁰", "Uniform"]
    assert inside([display.ax_.get_legend()], display.figure_)


def test_the_threshold_is_a_line_where_it_tells_anything(rng):
    D = rng.dirichlet(np.ones(8), 30)
    X, L = rng.normal(size=(30, 2)), binarize(D)
    display = RecoveryPathDisplay.from_estimator(LogicalSoftmax(), X, L, D, "sharpness", [1.0, 2.0])
    expected = kl_divergence(D, LogicalSoftmax("threshold").fit_transform(X, L))
    assert display.baselines["LogicalSoftmax, threshold"] == pytest.approx(expected)
    single = np.eye(4)[rng.integers(4, size=30)]
    display = RecoveryPathDisplay.from_estimator(LogicalSoftmax(), X, single, single, "sharpness", [1.0, 2.0])
    assert list(display.baselines) == ["Uniform", "LogicalSoftmax"]


def test_enhancers_that_hand_out_frames_are_measured_too(data):
    X, L, D = data
    L = pd.DataFrame(L, columns=list("xyz"))
    display = RecoveryPathDisplay.from_estimator(BDLE().set_output(transform="pandas"), X, L, D, "sharpness", [1.0])
    assert display.scores[0] == pytest.approx(kl_divergence(D, BDLE().fit_transform(X, L)))


@pytest.mark.parametrize(
    ("values", "places", "scale", "line"),
    [
        ([0.1, 0.5], [0.1, 0.5], "linear", "-"),
        ([1e-3, 1.0], [1e-3, 1.0], "log", "-"),
        ([0.0, 1e-3, 1.0], [0, 1, 2], "linear", "-"),
        ([0.0], [0.0], "linear", "-"),
        (["clip", "softmax"], [0, 1], "linear", "None"),
    ],
)
def test_values_stand_where_a_reader_expects_them(values, places, scale, line):
    display = display_of(values, np.linspace(0.1, 0.2, len(values)))
    assert list(display.line_.get_xdata()) == places
    assert display.ax_.get_xscale() == scale
    assert display.line_.get_linestyle() == line
    if places == [0, 1]:
        assert tick_texts(display.ax_, "x") == values


@pytest.mark.parametrize(
    ("scores", "measure", "scale"),
    [([0.1, 0.2], "kl_divergence", "linear"), ([0.1, 9], "kl_divergence", "log"), ([0.01, 0.9], "cosine", "linear")],
)
def test_one_bad_value_does_not_hide_the_good_ones(scores, measure, scale):
    assert display_of([1, 2], scores, measure).ax_.get_yscale() == scale


def test_mistakes_are_told_before_the_work(data):
    X, L, D = data
    with pytest.raises(ValueError, match=r"param_name must be one of bandwidth, .*; got 'alpha'"):
        RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "alpha", [1])
    with pytest.raises(ValueError, match="measure must be one of chebyshev"):
        RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "sharpness", [1], measure="kl")
    with pytest.raises(ValueError, match="param_range is empty"):
        RecoveryPathDisplay.from_estimator(BDLE(), X, L, D, "sharpness", [])
