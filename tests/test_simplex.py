from functools import partial

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.exceptions import NotADistributionError
from labeldist.simplex import (
    OUTPUT_MAPS,
    ambiguity,
    check_distributions,
    normalize,
    project,
    softmax,
    to_distributions,
)
from tests.references import project_by_search
from tests.strategies import distributions, score_rows


def assert_on_simplex(rows):
    check_distributions(rows, tol=1e-12)


@given(distributions())
def test_distributions_are_valid_and_normalised(D):
    assert_array_equal(check_distributions(D), D)
    assert_allclose(normalize(D), D, rtol=1e-14)


def test_normalize_divides_by_row_sums():
    counts = np.array([[1.0, 3.0], [2.0, 0.0]])
    before = counts.copy()
    assert_array_equal(normalize(counts), [[0.25, 0.75], [1.0, 0.0]])
    assert_array_equal(counts, before)


def test_normalize_copies_by_default():
    eps = np.finfo(float).eps
    rounded = np.array([[0.5, 0.5 + 2 * eps]])
    for D in (np.array([[0.25, 0.75], [0.5, 0.5]]), rounded):
        assert normalize(D, copy=False) is D
        assert not np.shares_memory(normalize(D), D)
    for D in ([[0.5, 0.5 + 4 * eps]], [[1.0, 1.0]], [[0.5, 0.5], [2.0, 2.0]]):
        assert_array_equal(normalize(D, copy=False), normalize(D))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[0.5, 0.4]], r"first row 0: its sum is 0\.9\."),
        (
            [[0.5, 0.5], [0.7, 0.7]],
            r"1 row\(s\) that do not sum to 1, first row 1: its sum is 1\.4",
        ),
        ([[1.5, -0.5]], r"negative in 1 row\(s\), first in row 0: column 1 is -0\.5"),
        ([[1.0, 0.0], [np.nan, 1.0]], r"not finite in 1 row\(s\), first in row 1: column 0 is nan"),
        (
            [[0.0, 1.5, -0.5], [0.5, 0.5, 0.0], [-1.0, 1.0, 1.0]],
            r"negative in 2 row\(s\), first in row 0: column 2 is -0\.5",
        ),
        ([[np.inf, 0.0]], "not finite"),
        ([0.5, 0.5], r"shape \(2,\).*reshape\(1, -1\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
        ([["a", "b"]], "numbers only"),
    ],
)
def test_invalid_distributions_raise(bad, message):
    with pytest.raises(NotADistributionError, match=message):
        check_distributions(bad)


def test_tolerance_of_sums():
    assert_array_equal(check_distributions([[0.5, 0.5 + 9e-7]]), [[0.5, 0.5 + 9e-7]])
    with pytest.raises(NotADistributionError):
        check_distributions([[0.5, 0.5 + 2e-6]])
    check_distributions([[0.5, 0.6]], tol=0.2)
    check_distributions([[0.5, 0.5]], tol=0)


def test_rows_of_zeros_cannot_be_normalised():
    with pytest.raises(NotADistributionError, match=r"1 row\(s\) .* all zero, first row 1"):
        normalize([[1, 1], [0, 0]])


@pytest.mark.parametrize("check", [check_distributions, normalize])
@pytest.mark.parametrize("bad", [[["a"]], [1.0], np.zeros((1, 0)), [[-1.0]]])
def test_messages_contain_the_given_name(check, bad):
    with pytest.raises(NotADistributionError, match=r"^votes "):
        check(bad, name="votes")
    with pytest.raises(NotADistributionError, match=r"^D "):
        check(bad)


@given(score_rows())
def test_output_maps_return_distributions(scores):
    for output in OUTPUT_MAPS:
        assert_on_simplex(to_distributions(scores, output))


@given(score_rows())
def test_output_maps_do_not_change_their_input(scores):
    before = scores.copy()
    for output in OUTPUT_MAPS:
        to_distributions(scores, output, floor=0.1)
    assert_array_equal(scores, before)


@given(distributions())
def test_projection_and_clipping_of_distributions(D):
    assert_allclose(project(D), D, atol=1e-15)
    assert_allclose(to_distributions(D, "clip"), D, atol=1e-15)


def test_projection_is_the_nearest_distribution(rng):
    for v in rng.normal(scale=0.7, size=(20, 5)):
        assert_allclose(project([v])[0], project_by_search(v), atol=1e-6)


def test_projection_of_large_scores_is_accurate():
    large = 1e15  # neighbouring floats differ by an eighth
    assert_allclose(
        project([[large + 0.25, large], [0.3, 0.6]]), [[0.625, 0.375], [0.35, 0.65]], rtol=1e-14
    )


def test_softmax_by_hand():
    Z = np.array([[0.0, np.log(3.0)]])
    assert_allclose(softmax(Z), [[0.25, 0.75]])
    assert_allclose(softmax(Z, sharpness=2), [[0.1, 0.9]])
    assert_allclose(softmax(Z, sharpness=0), [[0.5, 0.5]])
    assert_allclose(softmax(Z, sharpness=-1), softmax(-Z))
    assert_allclose(softmax([[0.0, 2000.0]], sharpness=-1), [[1, 0]])
    assert_allclose(softmax([[0.0, 0.0], [0.0, 1e4]]), [[0.5, 0.5], [0.0, 1.0]])


def test_clip_by_hand():
    assert_allclose(to_distributions([[-1.0, 1.0, 3.0]], "clip"), [[0, 0.25, 0.75]])
    assert_allclose(to_distributions([[-1.0, -2.0]], "clip"), [[0.5, 0.5]])
    assert_allclose(
        to_distributions([[-0.2, 0.5, 0.7]], "clip", floor=0.1), np.array([[0.1, 0.5, 0.7]]) / 1.3
    )


def test_sharpness_is_passed_to_softmax():
    assert_allclose(to_distributions([[0.0, 1.0]], "softmax", sharpness=3), softmax([[0.0, 3.0]]))
    assert_array_equal(to_distributions([[0.0, 1.0]]), softmax([[0.0, 1.0]], sharpness=1))


@pytest.mark.parametrize("output", OUTPUT_MAPS)
def test_floor_applies_to_every_map(output):
    scores = np.array([[-9.0, 5.0, 9.0]])
    assert to_distributions(scores, output).min() < 1e-6
    raised = to_distributions(scores, output, floor=0.05)
    assert_on_simplex(raised)
    assert raised.min() > 1e-3


@pytest.mark.parametrize(
    "function", [softmax, project, *(partial(to_distributions, output=o) for o in OUTPUT_MAPS)]
)
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.0, 1.0], [np.nan, 1.0]], "row 1, column 0 is nan"),
        ([[0.0, np.inf]], "row 0, column 1 is inf"),
        ([0.0, 1.0], r"got shape \(2,\)"),
        (np.zeros((2, 0)), r"got shape \(2, 0\)"),
    ],
)
def test_invalid_scores_raise(function, scores, message):
    with pytest.raises(ValueError, match=message):
        function(scores)


@pytest.mark.parametrize("n_labels", [1, 2, 7])
def test_ambiguity_of_equal_degrees(n_labels):
    D = np.tri(n_labels) / np.arange(1, n_labels + 1)[:, None]
    assert_allclose(ambiguity(D), np.arange(1, n_labels + 1))


@given(distributions())
def test_ambiguity_bounds(D):
    assert (ambiguity(D) >= 1 - 1e-12).all()
    assert (ambiguity(D) <= D.shape[1] + 1e-9).all()
    assert_allclose(ambiguity(np.hstack([D, D]) / 2), 2 * ambiguity(D))


def test_unknown_map_raises():
    with pytest.raises(ValueError, match="softmax, clip, project"):
        to_distributions([[1.0]], "sigmoid")


def test_ambiguity_of_other_rows_raises():
    assert_allclose(ambiguity([[0.5, 0.5], [1, 0]]), [2, 1])
    for rows in ([[2.0, 2.0]], [[-0.5, 1.5]], [[np.nan, 1.0]]):
        with pytest.raises(NotADistributionError):
            ambiguity(rows)
