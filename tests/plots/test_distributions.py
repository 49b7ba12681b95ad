"""Tests of the displays of distributions and predictions."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.plots import AmbiguityDisplay, CalibrationDisplay, DistributionDisplay, PredictionDisplay, TernaryDisplay
from labeldist.simplex import ambiguity
from tests.plots.drawn import legend_texts, lengths, texts, tick_texts

D = pd.DataFrame(
    [[0.1, 0.9, 0.0], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]],
    columns=["joy", "fear", "calm"],
    index=["a", "b", "c", "d"],
)


@pytest.mark.parametrize(("display_class", "items"), [(DistributionDisplay, "dbac"), (AmbiguityDisplay, "cbda")])
def test_bars_are_rows_in_order(display_class, items):
    display = display_class.from_distributions(D)
    rows = D.loc[list(items)].to_numpy()
    assert tick_texts(display.ax_, "y") == display.item_names == list(items)
    np.testing.assert_allclose(lengths(display.bars_), rows)
    np.testing.assert_allclose(display.ambiguities, ambiguity(rows))
    assert display.ax_.yaxis_inverted()
    assert texts(display.ax_) == [f"{value:.2f}" for value in ambiguity(rows)]
    assert legend_texts(display.ax_) == ["joy", "fear", "calm"]


@pytest.mark.parametrize(("display_class", "items"), [(DistributionDisplay, "ba"), (AmbiguityDisplay, "cb")])
def test_max_rows_limits_the_bars(display_class, items):
    display = display_class.from_distributions(D, max_rows=2)
    assert display.item_names == list(items)
    assert "2 of 4 items" in display.ax_.get_xlabel()
    with pytest.raises(ValueError, match="max_rows"):
        display_class.from_distributions(D, max_rows=0)
    assert len(plt.get_fignums()) == 1


def test_small_labels_are_merged_beyond_fifteen(rng):
    degrees = rng.dirichlet(np.arange(1, 18), 30)
    display = AmbiguityDisplay.from_distributions(degrees, max_rows=30)
    assert legend_texts(display.ax_) == [*(f"label_{k}" for k in range(3, 17)), "other (3 labels)"]
    np.testing.assert_allclose(lengths(display.bars_)[:, :14], display.distributions[:, 3:])
    np.testing.assert_allclose(lengths(display.bars_)[:, 14], display.distributions[:, :3].sum(axis=1))
    assert tick_texts(AmbiguityDisplay.from_distributions(np.tile(degrees, (3, 1)), max_rows=90).ax_, "y") == []


TRIANGLE = pd.DataFrame(np.vstack([np.eye(3), [[0.6, 0.3, 0.1]]]), columns=["joy", "fear", "calm"])


def test_ternary_points_are_weighted_means_of_the_corners():
    display = TernaryDisplay.from_distributions(TRIANGLE)
    points = [np.asarray(collection.get_offsets()) for collection in display.points_]
    assert [len(offsets) for offsets in points] == [2, 1, 1]  # by largest label
    corners = np.array([offsets[0] for offsets in points])
    np.testing.assert_allclose(points[0][1], [0.6, 0.3, 0.1] @ corners)
    ax = display.ax_
    assert [ax.get_tlabel(), ax.get_llabel(), ax.get_rlabel()] == ["joy", "fear", "calm"]
    assert ax.get_legend() is None


def test_ternary_lines_end_at_the_true_distributions():
    display = TernaryDisplay.from_predictions(TRIANGLE[:2], TRIANGLE.to_numpy()[[3, 1]])
    (lines,) = display.ax_.lines
    xy = lines.get_xydata()
    np.testing.assert_array_equal(np.isnan(xy[:, 0]), [False, False, True] * 2)
    np.testing.assert_allclose(xy[0], display.points_[0].get_offsets()[0])
    np.testing.assert_allclose(xy[3], display.points_[1].get_offsets()[0])
    np.testing.assert_allclose(xy[3], xy[4])
    assert legend_texts(display.ax_) == ["to the true distribution"]


def test_from_estimator_with_and_without_truth():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
    bars = AmbiguityDisplay.from_estimator(model, X, max_rows=3, item_names=range(100, 120))
    rows = np.argsort(-ambiguity(model.predict(X)))[:3]
    np.testing.assert_allclose(bars.distributions, model.predict(X)[rows])
    assert bars.item_names == [str(100 + row) for row in rows]
    display = TernaryDisplay.from_estimator(model, X, label_names=list("xyz"))
    np.testing.assert_allclose(display.distributions, model.predict(X))
    assert (display.true, display.ax_.get_tlabel()) == (None, "x")
    np.testing.assert_allclose(TernaryDisplay.from_estimator(model, X, 4 * D).true, D)


def test_ternary_needs_three_labels_and_ternary_axes():
    for n_labels in (2, 4):
        with pytest.raises(ValueError, match=str(n_labels)):
            TernaryDisplay.from_distributions(np.full((5, n_labels), 1 / n_labels))
    assert plt.get_fignums() == []
    with pytest.raises(TypeError, match="ternary"):
        TernaryDisplay.from_distributions(TRIANGLE, ax=plt.figure().subplots())


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


def test_intervals_are_lines_of_the_points():
    lower, upper = np.clip(PREDICTED - 0.1, 0, 1), PREDICTED + 0.3
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, intervals=(lower, upper), max_rows=3)
    rows = [3, 0, 2]
    for k, lines in enumerate(display.interval_lines_):
        ends = [[[lower[i, k], TRUE.iloc[i, k]], [upper[i, k], TRUE.iloc[i, k]]] for i in rows]
        np.testing.assert_allclose(lines.get_segments(), ends)
    assert display.ax_.get_xlim()[1] > 0.9


def test_intervals_in_another_order_raise():
    D = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], index=["a", "b"], columns=["joy", "fear"])
    for lower, message in ((D[["fear", "joy"]], "intervals must have the labels"), (D[::-1], "in different orders")):
        with pytest.raises(ValueError, match=message):
            PredictionDisplay.from_predictions(D, D, intervals=(lower, lower))
    with pytest.raises(ValueError, match="broadcast"):
        PredictionDisplay.from_predictions(D, D, intervals=(np.zeros((3, 2)), np.ones((3, 2))))


def test_names_of_labels_in_another_order_raise():
    D = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], columns=["joy", "fear"])
    for pair in ((D, D.to_numpy()), (D.to_numpy(), D)):
        with pytest.raises(ValueError, match=r"must have the labels \['fear', 'joy'\]"):
            PredictionDisplay.from_predictions(*pair, label_names=["fear", "joy"])


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


def test_calibration_from_estimator_uses_all_degrees():
    X, D = make_artificial(30, random_state=0)
    model = BDLDL().fit(X, D)
    calibration = CalibrationDisplay.from_estimator(model, X, 5 * D)
    assert calibration.predicted_means @ calibration.counts == pytest.approx(30)
    assert calibration.true_means @ calibration.counts == pytest.approx(30)
    assert calibration.ax_.get_ylabel() == "mean true degree"
    votes = CalibrationDisplay.from_estimator(model, X, 5 * D, truth="share of votes")
    assert votes.ax_.get_ylabel() == "mean share of votes"


def test_calibration_bins_have_means_and_counts():
    predicted = np.random.default_rng(0).dirichlet(np.ones(3), 200)
    true = 0.5 * predicted + 0.5 / 3
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


def test_true_degrees_are_for_displays_that_use_them():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
    for display_class in (DistributionDisplay, AmbiguityDisplay):
        with pytest.raises(TypeError, match=f"{display_class.__name__} has no true degrees: omit y"):
            display_class.from_estimator(model, X, D)
    with pytest.raises(TypeError, match="CalibrationDisplay needs true degrees y"):
        CalibrationDisplay.from_estimator(model, X)
