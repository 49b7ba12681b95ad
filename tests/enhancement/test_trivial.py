import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement import LogicalSoftmax
from labeldist.exceptions import LabelWarning

X = np.zeros((3, 2))
L = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]])


@pytest.mark.parametrize("sharpness", [0, 1.0, 2.5])
def test_softmax_of_logical_labels(sharpness):
    e = np.exp(sharpness)
    expected = np.array([[e, 1, e], [1, e, 1], [1, 1, 1]])
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(LogicalSoftmax(sharpness).fit_transform(X, L), expected)


@pytest.mark.parametrize("c", [5, 8, 18])
def test_threshold_sharpness_centres_the_mass(rng, c):
    logical = np.zeros((50, c))
    logical[:, : c // 2 - 1] = 1
    logical[::3, c // 2] = 1
    model = LogicalSoftmax("threshold").fit(np.zeros((50, 1)), logical)
    middle = [
        row[on].sum() - row[on].min() / 2
        for row, on in zip(model.label_distributions_, logical > 0, strict=True)
    ]
    assert np.mean(middle) == pytest.approx(0.5, abs=1e-12)
    assert_allclose(
        model.label_distributions_, LogicalSoftmax(model.sharpness_).fit_transform(logical, logical)
    )


@pytest.mark.parametrize("logical", [np.eye(4), 1 - np.eye(4)], ids=["one on", "one off"])
def test_threshold_sharpness_without_solution_warns(logical):
    with pytest.warns(LabelWarning, match="No sharpness"):
        model = LogicalSoftmax("threshold").fit(np.zeros((4, 1)), logical)
    assert model.sharpness_ == 1
