import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import log_softmax

from labeldist.published import ALDL, SABFGS
from labeldist.published.aldl import best_width
from tests import checks


@pytest.fixture
def ages(rng):
    X = rng.normal(size=(150, 3))
    return X, np.round(20 + 3 * X[:, 0] + rng.normal(size=150))


def gaussian_rows(y, classes, width):
    D = np.exp(-((classes - y[:, None]) ** 2) / (2 * width**2))
    return D / D.sum(axis=1, keepdims=True)


def predicted_labels(model, X):
    return model.classes_[model.predict(X).argmax(axis=1)]


def test_one_round_is_sabfgs_on_fixed_gaussians(ages):
    X, y = ages
    model = ALDL(1.5, max_rounds=1, fit_intercept=True, tol=1e-6).fit(X, y)
    assert_array_equal(model.classes_, np.unique(y))
    D = gaussian_rows(y, model.classes_, 1.5)
    reference = SABFGS(fit_intercept=True, tol=1e-6).fit(X, D)
    assert_allclose(model.predict(X), reference.predict(X), atol=1e-12)
    assert_array_equal(model.widths_, 1.5)


def test_second_round_uses_the_best_widths_of_the_reliable_rows(ages):
    X, y = ages
    options = {"fit_intercept": True, "min_decrease": 0}
    first, second = (ALDL(4.0, max_rounds=n, **options).fit(X, y) for n in (1, 2))
    log_P = np.log(first.predict(X))
    error = np.abs(predicted_labels(first, X) - y)
    assert_allclose(first.errors_, [error.mean()])
    assert second.errors_[1] < second.errors_[0]  # so that the second model is kept
    grid = np.exp(np.linspace(np.log(0.1), np.log(np.ptp(y)), 20_001))
    for label, width in zip(second.classes_, second.widths_, strict=True):
        rows = (y == label) & (error <= error.mean())
        if rows.any():
            d = gaussian_rows(np.full(len(grid), label), first.classes_, grid[:, None])
            gaps = np.log(np.maximum(d, 1e-300)) - log_P[rows].mean(axis=0)
            assert_allclose(width, grid[(d * gaps).sum(axis=1).argmin()], rtol=1e-3)
        else:
            assert width == 4.0
    assert (second.widths_ != 4.0).any()


def test_best_width_is_stationary(rng):
    squares = (np.arange(9.0) - 3) ** 2
    mean_log_p = log_softmax(-squares / 8 + 0.3 * rng.normal(size=9))
    width = best_width(squares, mean_log_p)
    d = np.exp(log_softmax(-squares / (2 * width**2)))
    slope = d * (squares - d @ squares) / width**3
    assert abs(slope @ (np.log(d) - mean_log_p)) < 1e-6
    assert_allclose(best_width(squares, log_softmax(-squares / 8)), 2.0, rtol=1e-5)


def test_model_of_the_lowest_error_is_kept(ages):
    X, y = ages
    model = ALDL(1.0, max_rounds=20, fit_intercept=True).fit(X, y)
    assert 2 <= len(model.errors_) < 20
    error = np.abs(predicted_labels(model, X) - y).mean()
    assert_allclose(error, min(model.errors_))


def test_score_is_the_skill_over_the_median(ages):
    X, y = ages
    model = ALDL(fit_intercept=True).fit(X, y)
    errors = np.abs(predicted_labels(model, X) - y)
    expected = 1 - errors.mean() / np.abs(np.median(y) - y).mean()
    assert 0.3 < expected < 1
    assert_allclose([model.score(X, y), model.score(X, y[:, None])], expected)
    weight = np.arange(150) % 4
    repeated = model.score(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(model.score(X, y, sample_weight=weight), repeated)


@pytest.mark.parametrize("unit", [0.125, 12.0])
def test_unit_of_the_labels_does_not_matter(ages, unit):
    X, y = ages
    plain, scaled = (ALDL(fit_intercept=True).fit(X, labels) for labels in (y, unit * y))
    assert_allclose(scaled.predict(X), plain.predict(X), atol=1e-6)
    assert_allclose(scaled.widths_, unit * plain.widths_, rtol=1e-5)
    assert_allclose(scaled.errors_, unit * np.array(plain.errors_))


@pytest.mark.parametrize(
    "options",
    [
        {"width": 5.0},
        {"max_rounds": 1},
        {"min_decrease": 0.9},
        {"fit_intercept": True},
        {"tol": 0.3},
    ],
    ids=str,
)
def test_every_option_has_an_effect(ages, options):
    X = ages[0] - ages[0].min(axis=0)
    y = ages[1]
    plain = ALDL(8.0).fit(X, y)
    other = ALDL(**{"width": 8.0} | options).fit(X, y)
    changed = np.abs(plain.coef_ - other.coef_).max() > 1e-4
    assert changed or len(plain.errors_) != len(other.errors_)


def test_one_label_and_sparse_features(ages):
    X, y = ages
    assert_array_equal(ALDL().fit(X, np.full(150, 7)).predict(X[:2]), [[1.0], [1.0]])
    sparsely = ALDL().fit(sparse.csr_array(X), y)
    assert_allclose(sparsely.predict(X), ALDL().fit(X, y).predict(X), atol=1e-6)


def test_names_of_labels(ages):
    X, y = ages[0], ages[1].astype(int)
    assert ALDL().fit(X, pd.Series(y)).label_names_ == [str(label) for label in np.unique(y)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.where(y > 20, np.nan, y)), "NaN"),
        (lambda X, y: (X, np.full(150, "old")), "convert"),
    ],
    ids=["NaN", "text"],
)
def test_bad_training_data_raise(ages, change, message):
    with pytest.raises(ValueError, match=message):
        ALDL().fit(*change(*ages))


# The other common checks permute labels, whose order has a meaning here, or have several columns.
APPLICABLE = [
    checks.check_feature_order_has_no_effect,
    checks.check_input_is_not_changed,
    checks.check_later_changes_of_the_data_have_no_effect,
    checks.check_pickling_and_determinism,
    checks.check_refit_forgets_the_first_fit,
    checks.check_row_order_has_no_effect,
    checks.check_rows_are_predicted_independently,
    checks.check_set_params_applies_at_the_next_fit,
]


@pytest.mark.parametrize("check", APPLICABLE, ids=lambda check: check.__name__)
def test_common_checks(check):
    check(ALDL(tol=1e-8, max_iter=10_000, max_rounds=3))


def test_numerals_as_text_are_numbers(ages):
    X, y = ages
    y = np.array([1, 2, 10, 20])[np.digitize(y, [18, 20, 22])]
    text = ALDL().fit(X, y.astype(str))
    numbers = ALDL().fit(X, y)
    assert_array_equal(text.classes_, numbers.classes_)
    assert_allclose(text.predict(X), numbers.predict(X))
