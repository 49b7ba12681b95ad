from types import SimpleNamespace

import numpy as np
import pytest

from labeldist._validation import check_feature_order
from tests.frames import any_make, frame

FITTED = SimpleNamespace(feature_names_in_=np.array(["a", "b", "c"], dtype=object))
X = np.zeros((2, 3))


@any_make
def test_reordered_columns_raise_with_first_difference(make):
    with pytest.raises(ValueError, match=r"Column 1 is 'c'.*'b'"):
        check_feature_order(FITTED, frame(make, X, ["a", "c", "b"]))
    check_feature_order(FITTED, frame(make, X, ["a", "b", "c"]))


@any_make
def test_other_names_and_missing_names_pass(make):
    check_feature_order(FITTED, frame(make, X, ["a", "b", "z"]))
    check_feature_order(FITTED, X)
    check_feature_order(SimpleNamespace(), frame(make, X, ["b", "a", "c"]))
