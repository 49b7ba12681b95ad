import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist.enhancement import LogicalSoftmax
from labeldist.exceptions import VanishingGraphWarning
from labeldist.published import LP
from labeldist.simplex import normalize, softmax
from tests.references import propagation_by_iteration


@pytest.mark.parametrize("spread", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("width", [0.3, 1.0])
def test_scores_equal_fixed_point_of_iteration(tags, spread, width):
    X, L = tags
    scores = propagation_by_iteration(X, L, spread, width)
    model = LP(spread, graph_width=width, output="clip").fit(X, L)
    assert_allclose(model.label_distributions_, normalize(scores), atol=1e-12)
    assert model.residual_ < 1e-15
    assert_allclose(LP(spread, graph_width=width).fit_transform(X, L), softmax(scores), atol=1e-12)


def test_zero_spread_keeps_the_labels(tags):
    X, L = tags
    assert_allclose(LP(0).fit_transform(X, L), LogicalSoftmax().fit_transform(X, L), atol=1e-14)


def test_isolated_rows_keep_their_labels():
    L = np.array([[1, 0], [0, 1], [1, 1]])
    with pytest.warns(VanishingGraphWarning, match="3 of 3 rows"):
        recovered = LP(output="clip").fit_transform([[0.0], [1e3], [1e6]], L)
    assert_allclose(recovered, normalize(L))
    assert_allclose(LP(output="clip").fit_transform([[3.0]], [[1, 0]]), [[1, 0]])


def test_row_without_labels_gets_labels_of_neighbours():
    with pytest.warns(UserWarning, match="1 of 3 rows have no positive label"):
        recovered = LP(output="clip").fit_transform([[0.0], [0.1], [0.2]], [[1, 0], [0, 0], [1, 0]])
    assert_allclose(recovered[1], [1, 0])


def test_mean_width_is_mean_distance():
    L = [[1, 0], [0, 1], [0, 1]]
    model = LP(graph_width="mean").fit([[0.0], [1.0], [3.0]], L)
    assert model.graph_width_ == pytest.approx(2)
