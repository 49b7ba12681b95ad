import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.plots import TernaryDisplay
from labeldist.plots._palette import OKABE_ITO
from tests.plots.looks import inside, legend_texts

D = pd.DataFrame(np.vstack([np.eye(3), [[0.6, 0.3, 0.1]]]), columns=["joy", "fear", "calm"])


def places(D):
    """Where distributions lie in a triangle: the mean of the corners top, left and right, weighted by the degrees."""
    corners = np.array([[0, 1], [-1 / np.sqrt(3), 0], [1 / np.sqrt(3), 0]])
    return np.asarray(D) @ corners


def test_a_label_alone_is_a_corner_and_points_are_coloured_by_their_largest():
    display = TernaryDisplay.from_distributions(D)
    found = np.vstack([points.get_offsets() for points in display.points_])
    expected = places(D.to_numpy()[[0, 3, 1, 2]])
    # mpltern chooses the origin and the unit of its axes.
    shift = found - expected * np.ptp(found, axis=0) / np.ptp(expected, axis=0)
    np.testing.assert_allclose(shift, np.broadcast_to(shift[0], shift.shape), atol=1e-9)
    assert [to_hex(points.get_facecolor()[0]) for points in display.points_] == list(OKABE_ITO[:3])
    assert [len(points.get_offsets()) for points in display.points_] == [2, 1, 1]


def test_corners_and_scales_have_the_name_and_colour_of_their_label():
    ax = TernaryDisplay.from_distributions(D).ax_
    assert [ax.get_tlabel(), ax.get_llabel(), ax.get_rlabel()] == ["joy", "fear", "calm"]
    for axis, colour in zip((ax.taxis, ax.laxis, ax.raxis), OKABE_ITO, strict=False):
        assert to_hex(axis.label.get_color()) == colour
        assert to_hex(axis.get_major_ticks()[0].label1.get_color()) == colour


@pytest.mark.parametrize("n_labels", [2, 4])
def test_only_three_labels_make_a_triangle(n_labels):
    with pytest.raises(ValueError, match=f"three labels, and these distributions have {n_labels}"):
        TernaryDisplay.from_distributions(np.full((5, n_labels), 1 / n_labels))
    assert plt.get_fignums() == []


def test_lines_lead_to_the_truth():
    predicted = D.to_numpy()[[3, 1]]
    display = TernaryDisplay.from_predictions(D[:2], predicted)
    (lines,) = display.ax_.lines
    xy = lines.get_xydata()
    assert len(xy) == 6
    np.testing.assert_array_equal(np.isnan(xy[:, 0]), [False, False, True] * 2)
    np.testing.assert_allclose(xy[0], display.points_[0].get_offsets()[0])
    np.testing.assert_allclose(xy[3], display.points_[1].get_offsets()[0])
    np.testing.assert_allclose(xy[3], xy[4])
    assert legend_texts(display.ax_) == ["to the true distribution"]
    assert display.ax_.get_legend() is not None
    assert TernaryDisplay.from_distributions(D).ax_.get_legend() is None


def test_an_estimator_is_drawn_with_and_without_the_truth():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
    display = TernaryDisplay.from_estimator(model, X, label_names=list("xyz"))
    np.testing.assert_allclose(display.distributions, model.predict(X))
    assert display.true is None
    assert display.ax_.get_tlabel() == "x"
    np.testing.assert_allclose(TernaryDisplay.from_estimator(model, X, 4 * D).true, D)


def test_axes_can_be_given_if_they_are_ternary():
    ax = plt.figure().add_subplot(projection="ternary")
    assert TernaryDisplay.from_distributions(D, ax=ax).ax_ is ax
    with pytest.raises(TypeError, match='projection="ternary"'):
        TernaryDisplay.from_distributions(D, ax=plt.figure().subplots())


def test_long_names_take_more_lines_and_stay_inside():
    names = ["the first label has a long name", "and so has the second label", "and in the end the third"]
    display = TernaryDisplay.from_predictions(D, D, label_names=names)
    labels = [axis.label for axis in (display.ax_.taxis, display.ax_.laxis, display.ax_.raxis)]
    assert all("\n" in label.get_text() for label in labels)
    assert inside([*labels, display.ax_.get_legend()], display.figure_)
