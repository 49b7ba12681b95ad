from types import SimpleNamespace

import numpy as np
import pytest

from labeldist._validation import check_feature_order
from tests.frames import any_make, frame

FITTED = SimpleNamespace(feature_names_in_=np.array(["a", "b", "c"], dtype=object))
X = np.zeros((2, 3))


@any_make
def test_another_order_is_refused_with_the_first_column_that_is_elsewhere(make):
    with pytest.raises(ValueError, match=r"Column 1 is 'c' where fit had 'b'\. Select the columns in the order of"):
        check_feature_order(FITTED, frame(make, X, ["a", "c", "b"]))
    check_feature_order(FITTED, frame(make, X, ["a", "b", "c"]))


@any_make
def test_other_names_and_none_are_left_to_scikit_learn(make):
    check_feature_order(FITTED, frame(make, X, ["a", "b", "z"]))
    check_feature_order(FITTED, X)
    check_feature_order(SimpleNamespace(), frame(make, X, ["b", "a", "c"]))
