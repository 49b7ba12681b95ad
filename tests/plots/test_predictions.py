import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.metrics import kl_divergence
from labeldist.plots import PredictionDisplay
from labeldist.plots._palette import GREY, OKABE_ITO
from tests.plots.looks import colours, inside, legend_texts, lengths, overlapping, texts, tick_texts

TRUE = pd.DataFrame(
    [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.6, 0.2, 0.2]],
    columns=["joy", "fear", "calm"],
    index=["a", "b", "c", "d"],
)
# From the worst predicted to the best: c, a, b, d.
PREDICTED = np.array([[0.2, 0.3, 0.5], [0.3, 0.6, 0.1], [0.6, 0.2, 0.2], [0.6, 0.2, 0.2]])


def test_points_are_the_degrees_and_the_line_is_where_they_are_equal():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, rows="first")
    for k, points in enumerate(display.points_):
        np.testing.assert_allclose(points.get_offsets(), np.column_stack([PREDICTED[:, k], TRUE.iloc[:, k]]))
        assert to_hex(points.get_facecolor()[0]) == OKABE_ITO[k]
    (diagonal,) = display.ax_.lines
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    assert display.ax_.get_xlim() == display.ax_.get_ylim()
    assert display.ax_.get_aspect() == 1
    assert legend_texts(display.ax_) == ["joy", "fear", "calm"]
    assert "predicted" in display.ax_.get_xlabel()
    assert display.ax_.get_ylabel() == "true degree"


def test_bars_come_in_pairs_with_their_divergence():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, kind="bars", rows="first", max_rows=2)
    np.testing.assert_allclose(lengths(display.true_bars_), TRUE[:2])
    np.testing.assert_allclose(lengths(display.predicted_bars_), PREDICTED[:2])
    assert tick_texts(display.ax_, "y") == ["a: true", "predicted", "b: true", "predicted"]
    assert colours(display.true_bars_) == colours(display.predicted_bars_) == list(OKABE_ITO[:3])
    places = [bars[0][1].get_y() for bars in (display.true_bars_, display.predicted_bars_)]
    assert places[0] < 1 < places[1]  # downwards: the truth, then what was predicted
    divergences = [kl_divergence(TRUE[i : i + 1], PREDICTED[i : i + 1]) for i in range(2)]
    assert texts(display.ax_) == [f"{value:.3f}" for value in divergences] + ["KL"]
    assert legend_texts(display.ax_) == ["joy", "fear", "calm"]
    assert overlapping([*display.ax_.texts, *display.ax_.get_legend().get_texts()], display.figure_) == []


@pytest.mark.parametrize(
    ("rows", "items", "caption"),
    [
        ("first", "abc", "the first 3 of 4 items"),
        ("worst", "cab", "the 3 worst of 4 items"),
        ("spread", "dac", "3 of 4 items, from best to worst"),
    ],
)
@pytest.mark.parametrize("kind", ["scatter", "bars"])
def test_of_many_rows_some_are_drawn_and_the_picture_says_which(kind, rows, items, caption):
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, kind=kind, rows=rows, max_rows=3)
    assert display.item_names == list(items)
    assert caption in display.ax_.get_xlabel()
    np.testing.assert_allclose(display.true, TRUE.loc[list(items)])


def test_bars_are_few_and_points_many_unless_told_otherwise(rng):
    D = rng.dirichlet(np.ones(2), 1200)
    assert len(PredictionDisplay.from_predictions(D, D).true) == 1000
    assert len(PredictionDisplay.from_predictions(D, D, kind="bars").true) == 6


def test_points_of_small_labels_are_their_sums():
    display = PredictionDisplay.from_predictions(TRUE, PREDICTED, rows="first", max_labels=2)
    others = display.points_[1]
    np.testing.assert_allclose(
        others.get_offsets(), np.column_stack([1 - PREDICTED[:, 1], 1 - TRUE.iloc[:, 1]]), atol=1e-12
    )
    assert to_hex(others.get_facecolor()[0]) == GREY
    assert legend_texts(display.ax_) == ["fear", "other (2 labels)"]


def test_a_crowd_of_points_is_fainter(rng):
    few, many = (rng.dirichlet(np.ones(3), n) for n in (5, 900))
    opacities = [PredictionDisplay.from_predictions(D, D).points_[0].get_alpha() for D in (few, many)]
    assert opacities[0] > opacities[1] > 0.1


def test_an_estimator_is_compared_with_the_truth():
    X, D = make_artificial(30, random_state=0)
    model = BDLDL().fit(X, D)
    display = PredictionDisplay.from_estimator(model, X, 5 * D, kind="bars", rows="first", label_names=list("xyz"))
    np.testing.assert_allclose(display.predicted, model.predict(X)[:6])
    np.testing.assert_allclose(display.true, D[:6])
    assert legend_texts(display.ax_) == ["x", "y", "z"]
    assert display.item_names == list("012345")
    named = PredictionDisplay.from_estimator(model, X[:2], D[:2], kind="bars", rows="first", item_names=["one", "two"])
    assert named.item_names == ["one", "two"]


@pytest.mark.parametrize("option", [{"kind": "lines"}, {"rows": "last"}, {"max_rows": 0}])
def test_options_that_do_not_exist_are_refused(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        PredictionDisplay.from_predictions(TRUE, PREDICTED, **option)
    with pytest.raises(ValueError, match="kind"):
        PredictionDisplay(PREDICTED, PREDICTED, divergences=[], label_names=[], item_names=[]).plot(kind="lines")


@pytest.mark.parametrize("kind", ["scatter", "bars"])
def test_long_names_stay_inside(rng, kind):
    D = rng.dirichlet(np.ones(16), 6)
    names = [f"a label with a really long name, number {k}" for k in range(16)]
    items = [f"an item with a really long name, number {k}" for k in range(6)]
    display = PredictionDisplay.from_predictions(D, D, kind=kind, label_names=names, item_names=items)
    written = display.ax_.get_yticklabels() if kind == "bars" else []
    assert inside([display.ax_.get_legend(), *written], display.figure_)
