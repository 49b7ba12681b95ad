import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import LabelWarning

X = np.zeros((3, 2))
L = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]])


def test_uniform_gives_every_label_the_same():
    assert_allclose(Uniform().fit_transform(X, L), 1 / 3)


@pytest.mark.parametrize("sharpness", [0, 1.0, 2.5])
def test_positive_labels_weigh_e_to_the_temperature(sharpness):
    e = np.exp(sharpness)
    expected = np.array([[e, 1, e], [1, e, 1], [1, 1, 1]])
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(LogicalSoftmax(sharpness).fit_transform(X, L), expected)


def test_a_negative_temperature_is_refused():
    with pytest.raises(ValueError, match="The 'sharpness' parameter of LogicalSoftmax must be"):
        LogicalSoftmax(-1).fit(X, L)


def test_the_temperature_is_noted():
    assert LogicalSoftmax(2.5).fit(X, L).sharpness_ == 2.5


@pytest.mark.parametrize("c", [5, 8, 18])
def test_the_threshold_temperature_puts_the_mass_in_the_middle_of_its_interval(rng, c):
    logical = np.zeros((50, c))
    logical[:, : c // 2 - 1] = 1
    logical[::3, c // 2] = 1
    model = LogicalSoftmax("threshold").fit(np.zeros((50, 1)), logical)
    middle = [
        row[on].sum() - row[on].min() / 2 for row, on in zip(model.label_distributions_, logical > 0, strict=True)
    ]
    assert np.mean(middle) == pytest.approx(0.5, abs=1e-12)
    assert_allclose(model.label_distributions_, LogicalSoftmax(model.sharpness_).fit_transform(logical, logical))


def test_the_threshold_temperature_by_hand():
    # Two of four labels: (2 − ½)e / (2e + 2) = ½ at e = 2.
    logical = np.array([[1, 1, 0, 0], [0, 1, 1, 0]])
    assert LogicalSoftmax("threshold").fit(X[:2], logical).sharpness_ == pytest.approx(np.log(2), abs=1e-12)


def test_rows_that_no_temperature_moves_do_not_count():
    logical = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]])
    with pytest.warns(LabelWarning, match="1 of 4 rows have no positive label"):
        model = LogicalSoftmax("threshold").fit(np.zeros((4, 1)), logical)
    assert model.sharpness_ == pytest.approx(np.log(2), abs=1e-12)


@pytest.mark.parametrize(
    ("logical", "cause"),
    [(np.eye(4), "single positive label.*without end"), (1 - np.eye(4), "that much mass at any sharpness")],
    ids=["one on", "one off"],
)
def test_labels_that_no_temperature_agrees_with_are_told(logical, cause):
    with pytest.warns(LabelWarning, match=f"No sharpness agrees with the threshold 0.5.*{cause}.*sharpness=1"):
        model = LogicalSoftmax("threshold").fit(np.zeros((4, 1)), logical)
    assert model.sharpness_ == 1
