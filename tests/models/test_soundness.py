"""Trusted types that were given what could do harm."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from labeldist import BDLDL
from labeldist.exceptions import ModelError
from labeldist.models._soundness import check_sound
from tests.checks import example


def encoder(**changes):
    """A pipeline with an encoder of categories that was tampered with."""
    X, D, _ = example()
    model = make_pipeline(OneHotEncoder(min_frequency=3, handle_unknown="ignore"), BDLDL()).fit(X.round(), D)
    vars(model[0]).update(changes)
    return model


def columns(*places):
    return [np.array(places)] * 5


@pytest.mark.parametrize(
    "changes",
    [
        {"_n_features_outs": [-(10**9)] * 5},
        {"_n_features_outs": [1]},
        {"_default_to_infrequent_mappings": columns(10**9)},
        {"_default_to_infrequent_mappings": [None] * 5, "_infrequent_indices": columns(10**9)},
        {"_drop_idx_after_grouping": np.array([10**9] * 5, dtype=object)},
        {"categories_": [np.array([3.0, 1.0])] * 5, "_infrequent_enabled": False, "_n_features_outs": [2] * 5},
        {"categories_": None},
    ],
)
def test_encoders_that_lead_out_of_their_columns_are_refused(changes):
    check_sound(encoder())
    with pytest.raises((ModelError, TypeError), match=r"columns that it does not have|NoneType"):
        check_sound(encoder(**changes))


@pytest.mark.parametrize("drop", [None, "first", "if_binary"])
@pytest.mark.parametrize("min_frequency", [None, 3])
def test_sound_encoders_pass(drop, min_frequency):
    X, _, _ = example()
    X = X.round()
    X[0, 0] = np.nan
    check_sound(OneHotEncoder(drop=drop, min_frequency=min_frequency).fit(X))
    check_sound(OneHotEncoder(drop=drop, min_frequency=min_frequency).fit(X.astype(str)))
    check_sound(OneHotEncoder())
