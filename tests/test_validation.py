import numpy as np
import pytest

from labeldist._validation import validated
from labeldist.enhancement import Uniform


def test_finite_numbers_without_a_finite_sum_are_taken_without_a_word():
    X = np.array([[1.7e308, 1.7e308], [-1.7e308, -1.7e308]])
    assert validated(Uniform(), X) is X


def test_infinity_is_refused_as_ever():
    with pytest.raises(ValueError, match="infinity"):
        validated(Uniform(), np.array([[np.inf, 1.0]]))
