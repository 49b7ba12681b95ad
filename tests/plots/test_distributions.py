import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.plots import DistributionDisplay
from tests.plots.looks import heights, inside, legend_texts, overlapping, tick_texts

D = pd.DataFrame(
    [[0.1, 0.9, 0.0], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]],
    columns=["joy", "fear", "calm"],
    index=["a", "b", "c", "d"],
)


def test_bars_are_the_rows_in_the_order_of_their_largest_label():
    display = DistributionDisplay.from_distributions(D)
    assert tick_texts(display.ax_, "x") == ["d", "b", "a", "c"]
    np.testing.assert_allclose(heights(display.bars_), D.loc[["d", "b", "a", "c"]])
    np.testing.assert_allclose(display.distributions, heights(display.bars_))
    assert [patch.get_x() + patch.get_width() / 2 for patch in display.bars_[0]] == pytest.approx([0, 1, 2, 3])


def test_the_legend_reads_from_above_as_the_bars_do():
    display = DistributionDisplay.from_distributions(D)
    assert legend_texts(display.ax_) == ["calm", "fear", "joy"]


@pytest.mark.parametrize(("order", "items"), [("given", "abcd"), ("ambiguity", "cbda")])
def test_the_order_can_be_chosen(order, items):
    assert DistributionDisplay.from_distributions(D, order=order).item_names == list(items)


@pytest.mark.parametrize(
    ("rows", "items", "caption"),
    [("first", "ab", "the first 2 of 4 items"), ("ambiguous", "bc", "the 2 most ambiguous of 4 items")],
)
def test_of_many_rows_some_are_drawn_and_the_picture_says_which(rows, items, caption):
    display = DistributionDisplay.from_distributions(D, rows=rows, max_rows=2, order="given")
    assert display.item_names == list(items)
    assert display.ax_.get_xlabel() == caption
    assert len(display.bars_[0]) == 2


def test_small_labels_can_be_taken_together():
    display = DistributionDisplay.from_distributions(D, max_labels=2)
    assert legend_texts(display.ax_) == ["other (2 labels)", "joy"]
    np.testing.assert_allclose(heights(display.bars_).sum(axis=1), 1)


def test_an_estimator_is_drawn_by_what_it_predicts():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
    display = DistributionDisplay.from_estimator(model, X, max_rows=5, order="given", item_names=range(100, 120))
    np.testing.assert_allclose(heights(display.bars_), model.predict(X)[:5])
    assert tick_texts(display.ax_, "x") == ["100", "101", "102", "103", "104"]


@pytest.mark.parametrize("option", [{"rows": "last"}, {"order": "random"}, {"max_rows": 0}, {"max_labels": 40}])
def test_options_that_do_not_exist_are_refused_and_leave_no_figure(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        DistributionDisplay.from_distributions(D, **option)
    assert plt.get_fignums() == []


def test_a_single_row_is_no_wall():
    display = DistributionDisplay.from_distributions(D[:1])
    low, high = display.ax_.get_xlim()
    assert high - low == pytest.approx(4)
    assert display.ax_.get_xlabel() == "1 item"


def test_many_rows_fit_on_a_page_without_names_on_each_other(rng):
    display = DistributionDisplay.from_distributions(rng.dirichlet(np.ones(2), 200), max_rows=200)
    assert display.figure_.get_figwidth() <= 14
    assert 20 < len(tick_texts(display.ax_, "x")) < 150
    assert overlapping(display.ax_.get_xticklabels(), display.figure_) == []
    assert display.bars_[0][0].get_width() == 1


def test_long_names_and_many_labels_stay_inside(rng):
    columns = [f"a label with a really long name, number {k}" for k in range(20)]
    index = [f"an item with a really long name, number {i}" for i in range(8)]
    table = pd.DataFrame(rng.dirichlet(np.ones(20), 8), columns=columns, index=index)
    display = DistributionDisplay.from_distributions(table, max_labels=21)
    assert len(legend_texts(display.ax_)) == 20
    names = [*display.ax_.get_xticklabels(), *display.ax_.get_legend().get_texts()]
    assert inside(names, display.figure_)
    assert overlapping(names, display.figure_) == []
