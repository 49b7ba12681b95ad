"""What a file says of its model."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit

from labeldist import BDLDL, BDLDLCV, BDLE, EnhancedLearner
from labeldist.exceptions import ModelError
from labeldist.learning import AAKNN
from labeldist.models import ModelCard
from labeldist.models._card import card_of
from tests.checks import example, training_data
from tests.estimators import ESTIMATORS, IGNORE_TAG_WARNINGS
from tests.models.examples import fitted, mixed_model, mixed_table

pytestmark = IGNORE_TAG_WARNINGS


def test_a_card_survives_the_way_through_json():
    card = card_of(fitted(BDLDL()), summary="Zürich", measures={"kl": np.inf, "rank": 3})
    assert ModelCard.from_json(card.to_json()) == card
    assert "Zürich" in card.to_json()


def test_parameters_are_told_as_json_can_hold_them():
    splits = [(np.arange(20), np.arange(20, 40))] * 2
    parameters = card_of(fitted(BDLDLCV([0.1], np.array([0.5, 1]), cv=splits, random_state=None))).parameters
    assert parameters["reconstructions"] == [0.1]
    assert parameters["ridges"] == [0.5, 1.0]
    assert parameters["cv"].startswith("[(array(")
    folds = card_of(fitted(BDLDLCV(cv=PredefinedSplit([0, 1] * 20)))).parameters["cv"]
    assert folds.startswith("PredefinedSplit(test_fold=")
    assert len(folds) < 200
    assert len(card_of(fitted(BDLDLCV(list(np.arange(1, 1001.0)), [1.0], cv=2))).parameters["reconstructions"]) < 200
    enhanced = card_of(fitted(EnhancedLearner(learner=BDLDL(ridge=2)))).parameters
    assert (enhanced["enhancer"], enhanced["learner"], enhanced["learner__ridge"]) == (None, "BDLDL", 2)


def test_rows_are_counted_where_the_model_keeps_something_of_each():
    n = len(example()[0])
    assert card_of(fitted(AAKNN())).training_rows == n
    assert card_of(fitted(EnhancedLearner(BDLE(), BDLDL()))).training_rows == n
    assert card_of(fitted(BDLDL())).training_rows is None
    assert card_of(fitted(BDLDL()), training_rows=7).training_rows == 7


@pytest.mark.parametrize("model", [*ESTIMATORS, mixed_model], ids=lambda model: getattr(model, "__name__", repr(model)))
def test_no_cell_of_the_training_table_is_in_the_card(model):
    if model is mixed_model:
        (X, D), model = mixed_table(), mixed_model()
        cells = [*X["city"].dropna().unique(), *X["note"].unique(), *X["income"].dropna(), *D.to_numpy().ravel()]
    else:
        (X, y), model = training_data(model), fitted(clone(model))
        cells = [*X.ravel(), *y[(y != 0) & (y != 1)]]
    text = card_of(model).to_json()
    assert len(cells) > 100
    assert [cell for cell in cells if str(cell)[:8] in text] == []


def test_measures_are_numbers():
    with pytest.raises(ModelError, match="measures must be numbers by name; that of 'kl' is 'low'"):
        card_of(fitted(BDLDL()), measures={"kl": "low"})


def changed(**entries):
    return json.dumps(json.loads(card_of(fitted(BDLDL())).to_json()) | entries)


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[1]",
        "{}",
        '{"format": "1"}',
        '{"format": 1}',
        "[" * 100_000,
        changed(extra=1),
        changed(label_names="joy"),
        changed(label_names=[1]),
        changed(feature_names={"a": 1}),
        changed(measures=[1.0]),
        changed(measures={"kl": "low"}),
        changed(versions={"numpy": 2}),
        changed(n_features="5"),
        changed(summary=["a"]),
        changed(estimator=None),
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_card_is_refused(text):
    with pytest.raises(ModelError, match="its card is damaged"):
        ModelCard.from_json(text)


def test_a_newer_format_is_refused_whatever_else_it_says():
    with pytest.raises(ModelError, match=r"its format is 2, and this version of labeldist .* reads formats up to 1"):
        ModelCard.from_json('{"format": 2, "new": true}')
