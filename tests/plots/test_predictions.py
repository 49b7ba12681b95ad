"""Tests of PredictionDisplay and CalibrationDisplay."""

import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.plots import CalibrationDisplay, PredictionDisplay
from tests.plots.drawn import legend_texts, lengths, texts, tick_texts

TRUE = pd.DataFrame(
    [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]],
    columns=["joy", "fear", "calm"],
    index=["a", "b", "c", "d"],
)
PREDICTED = np.array([[0.2, 0.3, 0.5], [0.3, 0.6, 0.1], [0.6, 0.2, 0.2], [0.6, 0.2, 0.2]])
BEST_TO_WORST = [3, 1, 0, 2]


def test_points_are_degrees():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED)
    for k, points in enumerate(display.points_):
        expected = np.column_stack([PREDICTED[:, k], TRUE.iloc[:, k]])[BEST_TO_WORST]
        np.testing.assert_allclose(points.get_offsets(), expected)
    assert legend_texts(display.ax_) == ["joy", "fear", "calm"]


def test_bars_come_in_pairs_with_their_divergence():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, kind="bars", max_rows=2)
    assert display.item_names == ["d", "c"]
    np.testing.assert_allclose(lengths(display.true_bars_), TRUE.loc[["d", "c"]])
    np.testing.assert_allclose(lengths(display.predicted_bars_), PREDICTED[[3, 2]])
    assert tick_texts(display.ax_, "y") == ["d: true", "predicted", "c: true", "predicted"]
    divergence = kl_divergence(TRUE[2:3], PREDICTED[2:3])
    np.testing.assert_allclose(display.divergences, [0, divergence], atol=1e-12)
    assert texts(display.ax_) == ["KL 0.000", f"KL {divergence:.3f}"]


@pytest.mark.parametrize("kind", ["scatter", "bars"])
def test_max_rows_chooses_at_equal_steps_from_best_to_worst(kind):
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, kind=kind, max_rows=3)
    assert display.item_names == ["d", "a", "c"]
    np.testing.assert_allclose(display.true, TRUE.loc[["d", "a", "c"]])
    assert "3 of 4 items" in display.ax_.get_xlabel()
    for option in ({"kind": "lines"}, {"kind": kind, "max_rows": 0}):
        with pytest.raises(ValueError, match=list(option)[-1]):
            PredictionDisplay.from_predictions(TRUE, PREDICTED, **option)


def test_from_estimator_compares_predictions_with_normalised_truth():
    X, D = make_artificial(30, random_state=0)
    model = BDLDL().fit(X, D)
    display = PredictionDisplay.from_estimator(model, X, 5 * D, label_names=list("xyz"))
    rows = [int(name) for name in display.item_names]
    np.testing.assert_allclose(display.predicted, model.predict(X)[rows])
    np.testing.assert_allclose(display.true, D[rows])
    assert legend_texts(display.ax_) == ["x", "y", "z"]
    calibration = CalibrationDisplay.from_estimator(model, X, 5 * D, reference="recovered degree")
    assert calibration.ax_.get_ylabel() == "mean recovered degree"
    assert calibration.predicted_means @ calibration.counts == pytest.approx(30)
    assert calibration.true_means @ calibration.counts == pytest.approx(30)


@pytest.fixture(scope="module")
def pair():
    predicted = np.random.default_rng(0).dirichlet(np.ones(3), 200)
    return 0.5 * predicted + 0.5 / 3, predicted


def test_calibration_bins_have_means_and_counts(pair):
    true, predicted = pair
    display = CalibrationDisplay.from_predictions(true, predicted, n_bins=5)
    assert display.counts.sum() == predicted.size
    rows = zip(display.edges, display.predicted_means, display.true_means, display.counts, strict=True)
    for (low, high), predicted_mean, true_mean, count in rows:
        inside = (predicted >= low) & ((predicted < high) | (high == predicted.max()))
        assert count == inside.sum()
        assert predicted_mean == pytest.approx(predicted[inside].mean())
        assert true_mean == pytest.approx(true[inside].mean())
    widths = np.diff(display.edges).ravel()
    np.testing.assert_allclose(widths, widths[0])


def test_calibration_draws_curve_and_counts(pair):
    display = CalibrationDisplay.from_predictions(*pair, n_bins=4)
    curve = np.column_stack([display.predicted_means, display.true_means])
    np.testing.assert_allclose(display.line_.get_xydata(), curve)
    heights = np.array([bar.get_height() for bar in display.count_bars_])
    np.testing.assert_allclose(heights / heights.max(), display.counts / display.counts.max())
    assert texts(display.ax_) == [f"{count:,}" for count in display.counts]


def test_calibration_omits_empty_bins_and_handles_equal_predictions():
    display = CalibrationDisplay.from_predictions([[0.1, 0.9], [0.2, 0.8]], [[0.1, 0.9], [0.1, 0.9]])
    assert display.counts.tolist() == [2, 2]
    display = CalibrationDisplay.from_predictions([[0.4, 0.6]], [[0.5, 0.5]])
    assert display.counts.tolist() == [2]
    assert display.true_means.tolist() == [0.5]
    assert display.count_bars_[0].get_width() > 0
    with pytest.raises(ValueError, match="n_bins"):
        CalibrationDisplay.from_predictions([[0.4, 0.6]], [[0.5, 0.5]], n_bins=0)
