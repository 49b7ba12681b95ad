"""Hypothesis looks for small tables of extreme but finite numbers that an estimator has no right answer to, nor words.

What it has found stands by name in the tests of the estimators and in `test_hard_numbers`.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from tests.trust.hard_tables import hard_tables, is_right_or_named, labels_for
from tests.trust.test_hard_numbers import EVERYONE

# A table takes long to draw beside a fit of five rows; that is no sign of a bad strategy.
PATIENT = {"suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]}


@settings(max_examples=20, **PATIENT)
@given(hard_tables())
def test_no_estimator_is_lost_for_words(hard):
    X, D, new = hard
    for estimator in EVERYONE:
        try:
            is_right_or_named(estimator, X, labels_for(estimator, D), new)
        except Exception as error:
            error.add_note(f"This is {estimator!r}.")
            raise


@pytest.mark.soak
@pytest.mark.parametrize("estimator", EVERYONE, ids=repr)
@settings(max_examples=1_000, derandomize=False, **PATIENT)  # other tables every time
@given(hard=hard_tables())
def test_long_searches_find_nothing_either(estimator, hard):
    X, D, new = hard
    is_right_or_named(estimator, X, labels_for(estimator, D), new)
