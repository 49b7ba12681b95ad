import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement import LogicalSoftmax, Uniform

X = np.zeros((3, 2))
L = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]])


def test_uniform_gives_every_label_the_same():
    assert_allclose(Uniform().fit_transform(X, L), 1 / 3)


@pytest.mark.parametrize("temperature", [0, 1.0, 2.5])
def test_positive_labels_weigh_e_to_the_temperature(temperature):
    e = np.exp(temperature)
    expected = np.array([[e, 1, e], [1, e, 1], [1, 1, 1]])
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(LogicalSoftmax(temperature).fit_transform(X, L), expected)


def test_a_negative_temperature_is_refused():
    with pytest.raises(ValueError, match="The 'temperature' parameter of LogicalSoftmax must be"):
        LogicalSoftmax(-1).fit(X, L)
