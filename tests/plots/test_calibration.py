import numpy as np
import pytest

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.plots import CalibrationDisplay
from tests.plots.looks import texts


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(0)
    predicted = rng.dirichlet(np.ones(3), 200)
    return 0.5 * predicted + 0.5 / 3, predicted


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_bins_hold_means_and_counts(pair, strategy):
    true, predicted = pair
    display = CalibrationDisplay.from_predictions(true, predicted, n_bins=5, strategy=strategy)
    assert display.counts.sum() == predicted.size
    for (low, high), p, d, count in zip(
        display.edges, display.predicted_means, display.true_means, display.counts, strict=True
    ):
        held = (predicted >= low) & ((predicted < high) | (predicted == predicted.max()) & (high == predicted.max()))
        assert count == held.sum()
        assert p == pytest.approx(predicted[held].mean())
        assert d == pytest.approx(0.5 * p + 0.5 / 3)
    widths = np.diff(display.edges).ravel()
    if strategy == "uniform":
        np.testing.assert_allclose(widths, widths[0])
    else:
        np.testing.assert_allclose(display.counts, 120)


def test_the_picture_shows_curve_diagonal_and_counts(pair):
    display = CalibrationDisplay.from_predictions(*pair, n_bins=4)
    np.testing.assert_allclose(
        display.line_.get_xydata(), np.column_stack([display.predicted_means, display.true_means])
    )
    diagonal = display.ax_.lines[0]
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    bars = [bar.get_height() for bar in display.count_bars_]
    np.testing.assert_allclose(np.divide(bars, max(bars)), display.counts / display.counts.max())
    assert [bar.get_x() for bar in display.count_bars_] == pytest.approx(display.edges[:, 0])
    assert texts(display.ax_) == [f"{count:,}" for count in display.counts]


def test_counts_stand_upright_where_they_have_no_room(pair):
    wide, narrow = (CalibrationDisplay.from_predictions(*pair, n_bins=n).ax_.texts[0] for n in (3, 60))
    assert wide.get_rotation() == 0
    assert narrow.get_rotation() == 90


def test_one_label_can_be_looked_at(pair):
    true, predicted = pair
    display = CalibrationDisplay.from_predictions(true, predicted, label="fear", label_names=["joy", "fear", "calm"])
    assert display.counts.sum() == 200
    assert display.predicted_means @ display.counts == pytest.approx(predicted[:, 1].sum())
    assert "of fear" in display.ax_.get_xlabel()
    with pytest.raises(ValueError, match="label must be one of label_0, label_1, label_2; got 'fear'"):
        CalibrationDisplay.from_predictions(true, predicted, label="fear")


def test_empty_bins_are_left_out_and_equal_predictions_are_one_bin():
    display = CalibrationDisplay.from_predictions([[0.1, 0.9], [0.2, 0.8]], [[0.1, 0.9], [0.1, 0.9]])
    assert display.counts.tolist() == [2, 2]
    for strategy in ("uniform", "quantile"):
        display = CalibrationDisplay.from_predictions([[0.4, 0.6]], [[0.5, 0.5]], strategy=strategy)
        assert display.counts.tolist() == [2]
        assert display.true_means.tolist() == [0.5]
        assert display.count_bars_[0].get_width() > 0


def test_an_estimator_is_judged_on_the_truth():
    X, D = make_artificial(60, random_state=0)
    model = BDLDL().fit(X, D)
    display = CalibrationDisplay.from_estimator(model, X, 3 * D, label="z", label_names=list("xyz"))
    assert display.predicted_means @ display.counts == pytest.approx(model.predict(X)[:, 2].sum())
    assert display.true_means @ display.counts == pytest.approx(D[:, 2].sum())


@pytest.mark.parametrize("option", [{"strategy": "kmeans"}, {"n_bins": 0}])
def test_options_that_do_not_exist_are_refused(pair, option):
    with pytest.raises(ValueError, match=next(iter(option))):
        CalibrationDisplay.from_predictions(*pair, **option)
