import numpy as np
from sklearn.datasets import load_digits

from labeldist.datasets import load_logical_digits


def test_each_row_has_its_class_as_its_only_label():
    digits = load_logical_digits()
    assert digits.logical.shape == (1797, 10)
    assert digits.logical.dtype == np.uint8
    np.testing.assert_array_equal(digits.logical.sum(axis=1), 1)
    np.testing.assert_array_equal(digits.logical.argmax(axis=1), load_digits().target)


def test_everything_else_is_scikit_learns():
    digits, original = load_logical_digits(), load_digits()
    for key in ("data", "images", "target", "feature_names"):
        np.testing.assert_array_equal(digits[key], original[key])
    assert digits.target_names == list("0123456789")
    assert original.DESCR in digits.DESCR
    assert "`logical`" in digits.DESCR


def test_pair():
    X, L = load_logical_digits(return_X_y=True)
    digits = load_logical_digits()
    np.testing.assert_array_equal(X, digits.data)
    np.testing.assert_array_equal(L, digits.logical)
