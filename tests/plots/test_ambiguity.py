import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import make_artificial
from labeldist.plots import AmbiguityDisplay
from labeldist.simplex import ambiguity
from tests.plots.looks import inside, legend_texts, lengths, overlapping, texts, tick_texts

D = pd.DataFrame([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]], columns=["cat", "dog"], index=["sure", "torn", "rather"])


def test_the_most_ambiguous_is_on_top_with_its_ambiguity():
    display = AmbiguityDisplay.from_distributions(D)
    assert tick_texts(display.ax_, "y") == display.item_names == ["torn", "rather", "sure"]
    np.testing.assert_allclose(lengths(display.bars_), D.loc[["torn", "rather", "sure"]])
    assert texts(display.ax_) == ["2.00", "1.75", "1.00", "ambiguity"]
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]
    assert legend_texts(display.ax_) == ["cat", "dog"]
    assert display.ax_.get_xlabel() == "degree (3 items)"


def test_k_is_the_number_of_bars():
    display = AmbiguityDisplay.from_distributions(D, k=2)
    assert display.item_names == ["torn", "rather"]
    assert display.ax_.get_xlabel() == "degree (the 2 most ambiguous of 3 items)"
    with pytest.raises(ValueError, match="k must be at least 1"):
        AmbiguityDisplay.from_distributions(D, k=0)


def test_an_estimator_is_drawn_by_what_it_predicts():
    X, D = make_artificial(20, random_state=0)
    model = BDLDL().fit(X, D)
    display = AmbiguityDisplay.from_estimator(model, X, k=3, max_labels=2)
    np.testing.assert_allclose(display.ambiguities, np.sort(ambiguity(model.predict(X)))[:-4:-1])
    assert len(display.bars_) == 2


def test_ambiguities_and_legend_stand_apart_and_inside():
    display = AmbiguityDisplay.from_distributions(D)
    legend = display.ax_.get_legend()
    assert overlapping([*display.ax_.texts, *legend.get_texts()], display.figure_) == []
    assert inside([legend], display.figure_)
