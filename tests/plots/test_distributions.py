"""Tests of the displays of distributions and predictions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import sem

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.plots import (
    AmbiguityDisplay,
    CalibrationDisplay,
    DistributionDisplay,
    PredictionDisplay,
    TernaryDisplay,
)
from labeldist.simplex import ambiguity
from tests.plots.drawn import legend_texts, lengths, tick_texts

LABELS = ["joy", "fear", "calm"]
D = pd.DataFrame(
    [[0.1, 0.9, 0.0], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]], list("abcd"), LABELS
)


@pytest.fixture(scope="module")
def fitted():
    X, D = make_artificial(30, random_state=0)
    return BDLDL().fit(X, D), X, D


@pytest.mark.parametrize(
    ("display_class", "items"), [(DistributionDisplay, "dbac"), (AmbiguityDisplay, "cbda")]
)
def test_bars_are_rows_in_order(display_class, items):
    display = display_class.from_distributions(D)
    rows = D.loc[list(items)].to_numpy()
    assert tick_texts(display.ax_, "y") == display.item_names == list(items)
    assert_allclose(lengths(display.bars_), rows)
    assert_allclose(display.ambiguities, ambiguity(rows))
    assert legend_texts(display.ax_) == LABELS


@pytest.mark.parametrize(
    ("display_class", "items"), [(DistributionDisplay, "ba"), (AmbiguityDisplay, "cb")]
)
def test_max_rows_limits_the_bars(display_class, items):
    display = display_class.from_distributions(D, max_rows=2)
    assert display.item_names == list(items)


def test_small_labels_are_merged_beyond_fifteen(rng):
    degrees = rng.dirichlet(np.arange(1, 18), 30)
    display = AmbiguityDisplay.from_distributions(degrees, max_rows=30)
    assert legend_texts(display.ax_) == [*(f"label_{k}" for k in range(3, 17)), "other (3 labels)"]
    others = display.distributions[:, :3].sum(axis=1)
    drawn = np.column_stack([display.distributions[:, 3:], others])
    assert_allclose(lengths(display.bars_), drawn)


TRIANGLE = pd.DataFrame(np.vstack([np.eye(3), [[0.6, 0.3, 0.1]]]), columns=LABELS)


def test_ternary_points_are_weighted_means_of_the_corners():
    display = TernaryDisplay.from_distributions(TRIANGLE)
    points = [np.asarray(collection.get_offsets()) for collection in display.points_]
    assert [len(offsets) for offsets in points] == [2, 1, 1]  # by largest label
    corners = np.array([offsets[0] for offsets in points])
    assert_allclose(points[0][1], [0.6, 0.3, 0.1] @ corners)
    ax = display.ax_
    assert [ax.get_tlabel(), ax.get_llabel(), ax.get_rlabel()] == LABELS
    assert ax.get_legend() is None


def test_ternary_lines_end_at_the_true_distributions():
    display = TernaryDisplay.from_predictions(TRIANGLE[:2], TRIANGLE.to_numpy()[[3, 1]])
    (lines,) = display.ax_.lines
    xy = lines.get_xydata()
    assert_allclose(xy[0], display.points_[0].get_offsets()[0])
    assert_allclose(xy[3], display.points_[1].get_offsets()[0])
    assert_allclose(xy[3], xy[4])


def test_from_estimator_with_and_without_truth(fitted):
    model, X, D = fitted
    P = model.predict(X)
    bars = AmbiguityDisplay.from_estimator(model, X, max_rows=3, item_names=range(100, 130))
    rows = np.argsort(-ambiguity(P))[:3]
    assert_allclose(bars.distributions, P[rows])
    assert bars.item_names == [str(100 + row) for row in rows]
    display = TernaryDisplay.from_estimator(model, X, label_names=list("xyz"))
    assert_allclose(display.distributions, P)
    assert (display.true, display.ax_.get_tlabel()) == (None, "x")
    assert_allclose(TernaryDisplay.from_estimator(model, X, 4 * D).true, D)


@pytest.mark.parametrize("display", [DistributionDisplay, AmbiguityDisplay])
def test_displays_of_distributions_take_no_truth(fitted, display):
    model, X, D = fitted
    with pytest.raises(TypeError, match="from_estimator"):
        display.from_estimator(model, X, D)


@pytest.mark.parametrize("display", [PredictionDisplay, CalibrationDisplay])
def test_displays_of_predictions_need_truth(fitted, display):
    model, X, _ = fitted
    with pytest.raises(TypeError, match="'y'"):
        display.from_estimator(model, X)


def test_ternary_needs_three_labels():
    for n_labels in (2, 4):
        with pytest.raises(ValueError, match=str(n_labels)):
            TernaryDisplay.from_distributions(np.full((5, n_labels), 1 / n_labels))


TRUE = pd.DataFrame(
    [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]], list("abcd"), LABELS
)
PREDICTED = np.array([[0.2, 0.3, 0.5], [0.3, 0.6, 0.1], [0.6, 0.2, 0.2], [0.6, 0.2, 0.2]])
BEST_TO_WORST = [3, 1, 0, 2]


def test_points_are_degrees():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED)
    for k, points in enumerate(display.points_):
        expected = np.column_stack([PREDICTED[:, k], TRUE.iloc[:, k]])[BEST_TO_WORST]
        assert_allclose(points.get_offsets(), expected)
    assert legend_texts(display.ax_) == LABELS


def test_intervals_are_lines_of_the_points():
    bounds = np.clip(PREDICTED - 0.1, 0, 1), PREDICTED + 0.3
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, intervals=bounds, max_rows=3)
    rows = [3, 0, 2]
    for k, lines in enumerate(display.interval_lines_):
        degrees = TRUE.iloc[rows, k]
        ends = [np.column_stack([bound[rows, k], degrees]) for bound in bounds]
        assert_allclose(lines.get_segments(), np.stack(ends, axis=1))


def test_bars_come_in_pairs_with_their_divergence():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, kind="bars", max_rows=2)
    assert display.item_names == ["d", "c"]
    assert_allclose(lengths(display.true_bars_), TRUE.loc[["d", "c"]])
    assert_allclose(lengths(display.predicted_bars_), PREDICTED[[3, 2]])
    divergence = kl_divergence(TRUE[2:3], PREDICTED[2:3])
    assert_allclose(display.divergences, [0, divergence], atol=1e-12)


@pytest.mark.parametrize("kind", ["scatter", "bars"])
def test_max_rows_chooses_at_equal_steps_from_best_to_worst(kind):
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, kind=kind, max_rows=3)
    assert display.item_names == ["d", "a", "c"]
    assert_allclose(display.true, TRUE.loc[["d", "a", "c"]])


def test_unknown_kind_raises():
    with pytest.raises(ValueError, match="'lines'"):
        PredictionDisplay.from_predictions(TRUE, PREDICTED, kind="lines")


def test_calibration_from_estimator_uses_all_degrees(fitted):
    model, X, D = fitted
    calibration = CalibrationDisplay.from_estimator(model, X, 5 * D, truth="share of votes")
    assert calibration.predicted_means @ calibration.counts == pytest.approx(30)
    assert calibration.true_means @ calibration.counts == pytest.approx(30)
    assert calibration.ax_.get_ylabel() == "mean share of votes"


def test_calibration_bins_have_equal_counts_means_and_intervals(rng):
    predicted = rng.dirichlet(np.ones(3), 200)
    true = 0.5 * predicted + 0.5 / 3
    display = CalibrationDisplay.from_predictions(true, predicted, n_bins=5)
    p, d = predicted.ravel(), true.ravel()
    assert_array_equal(display.counts, np.full(5, 120))
    bins = np.split(np.argsort(p), 5)
    assert_allclose(display.predicted_means, [p[rows].mean() for rows in bins])
    assert_allclose(display.true_means, [d[rows].mean() for rows in bins])
    expected = [1.96 * sem(d[rows]) for rows in bins]
    assert_allclose(display.margins, expected)
    ends = np.array([segment[:, 1] for segment in display.interval_lines_.get_segments()])
    assert_allclose(ends[:, 1] - ends[:, 0], 2 * display.margins)
    assert_allclose(display.edges[1:, 0], display.edges[:-1, 1])
    curve = np.column_stack([display.predicted_means, display.true_means])
    assert_allclose(display.line_.get_xydata(), curve)


def test_calibration_of_equal_predictions():
    display = CalibrationDisplay.from_predictions([[0.4, 0.6]], [[0.5, 0.5]])
    assert display.counts.tolist() == [2]
    assert display.true_means.tolist() == [0.5]
    assert display.edges.tolist() == [[0.5, 0.5]]
