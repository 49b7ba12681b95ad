import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg

from labeldist.published._proximal import shrink_rows, shrink_singular_values


def test_rows_are_shortened(rng):
    A = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    assert_allclose(shrink_rows(A, 1.0), [[2.4, 3.2], [0, 0], [0, 0]])
    assert_allclose(shrink_rows(A, 0.0), A, atol=1e-14)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (4, 4)])
def test_singular_values_are_lowered(rng, shape):
    A = rng.normal(size=shape)
    U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
    expected = U * np.maximum(sigma - sigma[2], 0) @ Vt
    assert_allclose(shrink_singular_values(A, sigma[2]), expected, atol=1e-12)
    assert_allclose(shrink_singular_values(A, 0.0), A, atol=1e-14)


def test_singular_values_are_lowered_if_the_default_algorithm_fails(rng, monkeypatch):
    A = rng.normal(size=(6, 3))
    svd = linalg.svd

    def fail_by_default(factor, lapack_driver="gesdd", **options):
        if lapack_driver == "gesdd":
            raise linalg.LinAlgError
        return svd(factor, lapack_driver=lapack_driver, **options)

    expected = shrink_singular_values(A, 0.5)
    monkeypatch.setattr(linalg, "svd", fail_by_default)
    assert_allclose(shrink_singular_values(A, 0.5), expected, atol=1e-12)
