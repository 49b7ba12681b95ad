"""Tests of DistributionDisplay, AmbiguityDisplay and TernaryDisplay."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.plots import AmbiguityDisplay, DistributionDisplay, TernaryDisplay
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
    starts = np.transpose([[patch.get_x() for patch in container] for container in display.bars_])
    np.testing.assert_allclose(starts, np.cumsum(rows, axis=1) - rows, atol=1e-12)
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
    styles = {(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in display.bars_}
    assert len(styles) == 15


def test_from_estimator_draws_predictions():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
    display = AmbiguityDisplay.from_estimator(model, X, max_rows=3, item_names=range(100, 120))
    P = model.predict(X)
    rows = np.argsort(-ambiguity(P))[:3]
    np.testing.assert_allclose(lengths(display.bars_), P[rows])
    np.testing.assert_allclose(display.ambiguities, ambiguity(P[rows]))
    assert tick_texts(display.ax_, "y") == [str(100 + row) for row in rows]


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


def test_ternary_from_estimator_with_and_without_truth():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
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
