import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from labeldist.learning import ALDL, SABFGS
from labeldist.learning._adaptive import best_width
from labeldist.models import load, save
from tests import checks
from tests.checks import (
    check_feature_order_has_no_effect,
    check_input_is_not_changed,
    check_later_changes_of_the_data_have_no_effect,
    check_pickling_and_determinism,
    check_refit_forgets_the_first_fit,
    check_row_order_has_no_effect,
    check_rows_are_predicted_independently,
    check_set_params_applies_at_the_next_fit,
    example,
)


@pytest.fixture
def ages(rng):
    X = rng.normal(size=(150, 3))
    return X, np.round(20 + 3 * X[:, 0] + rng.normal(size=150))


def gaussian_rows(y, classes, width):
    D = np.exp(-((classes - y[:, None]) ** 2) / (2 * width**2))
    return D / D.sum(axis=1, keepdims=True)


def test_one_round_is_sabfgs_on_fixed_gaussians(ages):
    X, y = ages
    model = ALDL(1.5, max_rounds=1, fit_intercept=True, tol=1e-6).fit(X, y)
    assert_array_equal(model.classes_, np.unique(y))
    D = gaussian_rows(y, model.classes_, 1.5)
    assert_allclose(model.predict(X), SABFGS(fit_intercept=True, tol=1e-6).fit(X, D).predict(X), atol=1e-12)
    assert_array_equal(model.widths_, 1.5)


def test_second_round_uses_the_best_widths_of_the_reliable_rows(ages):
    X, y = ages
    first, second = (ALDL(4.0, max_rounds=n, fit_intercept=True, min_decrease=0).fit(X, y) for n in (1, 2))
    P = first.predict(X)
    error = np.abs(first.classes_[P.argmax(axis=1)] - y)
    assert_allclose(first.errors_, [error.mean()])
    assert second.errors_[1] < second.errors_[0]  # so that the second model is kept
    grid = np.exp(np.linspace(np.log(0.1), np.log(np.ptp(y)), 20_001))
    for label, width in zip(second.classes_, second.widths_, strict=True):
        rows = (y == label) & (error <= error.mean())
        if not rows.any():
            assert width == 4.0
            continue
        d = gaussian_rows(np.full(len(grid), label), first.classes_, grid[:, None])
        divergence = (d * (np.log(np.maximum(d, 1e-300)) - np.log(P[rows]).mean(axis=0))).sum(axis=1)
        assert_allclose(width, grid[divergence.argmin()], rtol=1e-3)
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
    error = np.abs(model.classes_[model.predict(X).argmax(axis=1)] - y).mean()
    assert_allclose(error, min(model.errors_))


def test_score_is_the_skill_over_the_median(ages, rng):
    X, y = ages
    model = ALDL(fit_intercept=True).fit(X, y)
    weight = rng.integers(1, 4, size=150)
    predicted = model.classes_[model.predict(X).argmax(axis=1)]
    expected = 1 - np.abs(predicted - y).mean() / np.abs(np.median(y) - y).mean()
    assert_allclose(model.score(X, y), expected)
    assert_allclose(model.score(X, y[:, None]), expected)
    assert 0.3 < expected < 1
    errors = [np.average(np.abs(label - y), weights=weight) for label in (predicted, np.median(y))]
    assert_allclose(model.score(X, y, weight), 1 - errors[0] / errors[1])


@pytest.mark.parametrize("unit", [0.125, 12.0])
def test_unit_of_the_labels_does_not_matter(ages, unit):
    X, y = ages
    plain, scaled = (ALDL(fit_intercept=True).fit(X, labels) for labels in (y, unit * y))
    assert_allclose(scaled.predict(X), plain.predict(X), atol=1e-6)
    assert_allclose(scaled.widths_, unit * plain.widths_, rtol=1e-5)
    assert_allclose(scaled.errors_, unit * np.array(plain.errors_))


@pytest.mark.parametrize(
    "options",
    [{"width": 5.0}, {"max_rounds": 1}, {"min_decrease": 0.9}, {"fit_intercept": True}, {"tol": 0.3}],
    ids=str,
)
def test_every_option_has_an_effect(ages, options):
    X, y = ages
    plain, other = (ALDL(**{"width": 8.0, **kept}).fit(X - X.min(axis=0), y) for kept in ({}, options))
    assert len(plain.errors_) != len(other.errors_) or np.abs(plain.coef_ - other.coef_).max() > 1e-4


def test_max_iter_warns(ages):
    with pytest.warns(ConvergenceWarning, match="ALDL stopped after 1 iterations"):
        ALDL(max_iter=1, max_rounds=1).fit(*ages)


def test_one_label_and_sparse_features(ages):
    X, y = ages
    assert_array_equal(ALDL().fit(X, np.full(150, 7)).predict(X[:2]), [[1.0], [1.0]])
    dense, sparsely = (ALDL(fit_intercept=False).fit(form(X), y).predict(X) for form in (np.asarray, sparse.csr_array))
    assert_allclose(sparsely, dense, atol=1e-6)


def test_names_and_saved_model(ages, tmp_path):
    X, y = ages
    model = ALDL().fit(pd.DataFrame(X, columns=list("abc")), pd.Series(y.astype(int)))
    assert model.label_names_ == [str(int(label)) for label in np.unique(y)]
    save(model, tmp_path / "model.ldm")
    assert_array_equal(load(tmp_path / "model.ldm").predict(model_rows := pd.DataFrame(X, columns=list("abc"))),
                       model.predict(model_rows))  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.where(y > 20, np.nan, y)), "NaN"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers"),
        (lambda X, y: (X, np.column_stack([y, y])), "1d array"),
        (lambda X, y: (X, np.full(150, "old")), "convert"),
        (lambda X, y: (X * 1e200, y), "too large to be squared"),
        (lambda X, y: (pd.DataFrame(X), pd.Series(y)[::-1]), "different orders"),
    ],
    ids=["NaN", "rows", "table", "text", "large", "order"],
)
def test_bad_training_data_raise(ages, change, message):
    with pytest.raises(ValueError, match=message):
        ALDL().fit(*change(*ages))
    with pytest.raises(NotFittedError):
        ALDL().score(*ages)


# The other common checks pass tables of degrees or permute labels, whose order has a meaning here. Names, one label,
# missing values and rows in another order have tests above.
APPLICABLE = [
    check_feature_order_has_no_effect,
    check_input_is_not_changed,
    check_later_changes_of_the_data_have_no_effect,
    check_pickling_and_determinism,
    check_refit_forgets_the_first_fit,
    check_row_order_has_no_effect,
    check_rows_are_predicted_independently,
    check_set_params_applies_at_the_next_fit,
]


@pytest.mark.parametrize("check", APPLICABLE, ids=lambda check: check.__name__)
def test_common_checks(check, monkeypatch):
    def one_label_per_row(estimator, seed=0):
        X, D, _ = example(seed)
        return X, D.argmax(axis=1)

    monkeypatch.setattr(checks, "training_data", one_label_per_row)
    check(ALDL(tol=1e-8, max_iter=10_000, max_rounds=3))


def test_numerals_as_text_are_numbers(ages):
    X, y = ages
    y = np.array([1, 2, 10, 20, 100])[np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))]
    text, numbers = ALDL().fit(X, y.astype(str)), ALDL().fit(X, y)
    assert_array_equal(text.classes_, numbers.classes_)
    assert_allclose(text.predict(X), numbers.predict(X))
    with pytest.raises(ValueError, match="could not convert string"):
        ALDL().fit(X, np.full(len(X), "old"))


def test_weighted_score_equals_that_of_repeated_rows(ages):
    X, y = ages
    model, weight = ALDL().fit(X, y), np.arange(len(y)) % 4
    repeated = model.score(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert model.score(X, y, sample_weight=weight) == pytest.approx(repeated)
