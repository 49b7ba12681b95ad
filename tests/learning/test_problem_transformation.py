from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from labeldist.datasets import make_artificial
from labeldist.learning import PTSVM, MeanDistribution, PTBayes
from labeldist.learning import _problem_transformation as problem_transformation


@pytest.fixture
def table(rng):
    X = rng.normal(1, 2, size=(50, 4))
    scores = np.exp(X[:, :3] / 3 + rng.normal(scale=0.2, size=(50, 3)))
    return X, scores / scores.sum(axis=1, keepdims=True)


def as_single_label_examples(X, D):
    """Every row once with each label: the problem transformation, written out."""
    n, c = D.shape
    return np.repeat(X, c, axis=0), np.tile(np.arange(c), n), D.ravel()


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.1])
def test_diagonal_bayes_is_naive_bayes_on_weighted_examples(table, var_smoothing):
    X, D = table
    rows, labels, weights = as_single_label_examples(X, D)
    reference = GaussianNB(var_smoothing=var_smoothing).fit(rows, labels, sample_weight=weights)
    model = PTBayes("diagonal", var_smoothing=var_smoothing).fit(X, D)
    assert_allclose(model.prior_, D.mean(axis=0))
    assert_allclose(model.mean_, reference.theta_)
    assert_allclose(model.covariance_root_**2, reference.var_)
    assert_allclose(model.predict(2 * X), reference.predict_proba(2 * X), atol=1e-12)


def test_full_bayes_is_quadratic_discriminant_analysis_on_repeated_examples(rng):
    # scikit-learn's takes no weights, so degrees are sixths here; by its version it divides by n or n − 1 examples.
    X = rng.normal(size=(80, 3))
    counts = rng.multinomial(6, [0.5, 0.3, 0.2], size=80)
    rows, labels, times = as_single_label_examples(X, counts)
    reference = QuadraticDiscriminantAnalysis(store_covariance=True).fit(
        np.repeat(rows, times, axis=0), np.repeat(labels, times)
    )
    model = PTBayes(var_smoothing=1e-12).fit(X, counts)
    covariance = model.covariance_root_ @ model.covariance_root_.transpose(0, 2, 1)
    assert_allclose(covariance, reference.covariance_, rtol=1.1 / counts.sum(axis=0).min())
    assert_allclose(model.predict(X), reference.predict_proba(X), atol=0.01)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_the_posterior_is_bayes_rule_by_hand(table, covariance):
    X, D = table
    model = PTBayes(covariance, var_smoothing=0.05).fit(X, D)
    smoothing = 0.05 * X.var(axis=0).max()
    x, joint = X[7] + 0.3, []
    for k in range(3):
        share = D[:, k] / D[:, k].sum()
        mean = share @ X
        S = sum(s * np.outer(row - mean, row - mean) for s, row in zip(share, X, strict=True)) + smoothing * np.eye(4)
        if covariance == "diagonal":
            S = np.diag(np.diagonal(S))
        density = np.exp(-(x - mean) @ np.linalg.solve(S, x - mean) / 2) / np.sqrt(np.linalg.det(S))
        joint.append(D[:, k].mean() * density)
    assert_allclose(model.predict([x])[0], np.array(joint) / sum(joint), atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_smoothing_leads_to_the_mean(table, covariance):
    X, D = table
    mean = D.mean(axis=0)
    gaps = [np.abs(PTBayes(covariance, var_smoothing=s).fit(X, D).predict(X) - mean).max() for s in (1e-9, 0.1, 1, 1e6)]
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[3] < 1e-3


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_a_label_that_never_occurs_gets_nothing(table, covariance):
    X, D = table
    D = np.insert(D, 1, 0, axis=1)
    predicted = PTBayes(covariance).fit(X, D).predict(X * 100)
    assert_array_equal(predicted[:, 1], 0)
    assert_allclose(predicted[:, [0, 2, 3]], PTBayes(covariance).fit(X, D[:, [0, 2, 3]]).predict(X * 100), atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_a_large_common_shift_and_constant_features_do_no_harm(table, covariance):
    X, D = table
    expected = PTBayes(covariance).fit(X, D).predict(X)
    assert_allclose(PTBayes(covariance).fit(X + 1e6, D).predict(X + 1e6), expected, atol=1e-8)
    padded = np.column_stack([X, np.full(50, 7.0)])
    assert_allclose(PTBayes(covariance).fit(padded, D).predict(padded), expected, atol=1e-12)
    constant = np.ones((50, 2))
    assert_allclose(PTBayes(covariance).fit(constant, D).predict(constant), np.tile(D.mean(axis=0), (50, 1)))


def test_drawn_examples_are_noise_around_the_exact_ones(table):
    X, D = table
    exact = PTBayes().fit(X, D)
    first, again, other = (PTBayes(sampling="draw", random_state=s).fit(X, D) for s in (0, 0, 1))
    assert_array_equal(first.mean_, again.mean_)
    assert np.abs(first.mean_ - other.mean_).max() > 0.01
    means = np.mean([PTBayes(sampling="draw", random_state=s).fit(X, D).mean_ for s in range(300)], axis=0)
    assert_allclose(means, exact.mean_, atol=0.1)
    assert_allclose(first.prior_ * D.size, np.round(first.prior_ * D.size), atol=1e-9)


def test_drawing_leaves_the_global_generator_alone(table):
    np.random.seed(0)  # noqa: NPY002  # the generator that must not be touched
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    models = [PTBayes(sampling="draw").fit(*table) for _ in range(2)]
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert np.abs(models[0].mean_ - models[1].mean_).max() > 0


def test_exact_weights_learn_better_than_drawn_ones_and_the_mean():
    X, D = make_artificial(500, random_state=0)
    new, truth = make_artificial(300, random_state=1)
    exact = PTBayes().fit(X, D).score(new, truth)
    assert exact > PTBayes(sampling="draw", random_state=0).fit(X, D).score(new, truth)
    assert exact > PTBayes("diagonal").fit(X, D).score(new, truth) > MeanDistribution().fit(X, D).score(new, truth)
    assert exact > 0.95


def test_dependent_features_without_smoothing_are_told(table):
    X, D = table
    dependent = np.column_stack([X, X.sum(axis=1)])
    with pytest.raises(ValueError, match=r"linearly dependent.*larger var_smoothing"):
        PTBayes(var_smoothing=1e-18).fit(dependent, D)


@pytest.mark.parametrize(
    "parameters",
    [{"covariance": "tied"}, {"var_smoothing": 0}, {"sampling": "bootstrap"}, {"random_state": "seed"}],
    ids=str,
)
def test_bad_parameters_of_bayes_are_refused_by_name(table, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of PTBayes must be"):
        PTBayes(**parameters).fit(*table)


def pairwise_machines_of_scikit_learn(X, D, C, gamma):
    """Decision values of LIBSVM on all single-label examples, pair by pair, the first label positive."""
    rows, labels, weights = as_single_label_examples(X, D)
    machine = SVC(C=C, gamma=gamma, tol=1e-9, decision_function_shape="ovo").fit(rows, labels, sample_weight=weights)
    return machine.decision_function(X)


@pytest.mark.parametrize(("C", "gamma"), [(0.1, 0.01), (10.0, 0.2)])
def test_the_machines_are_libsvms_on_weighted_examples(table, C, gamma):
    X, D = table
    model = PTSVM(C, gamma=gamma, kernel_tolerance=1e-10).fit(X, D)
    values = rbf_kernel(X, model.pivots_, gamma=gamma) @ model.dual_coef_.T + model.intercept_
    assert model.pairs_ == [(0, 1), (0, 2), (1, 2)]
    assert_allclose(values, pairwise_machines_of_scikit_learn(X, D, C, gamma), atol=1e-4)
    probability = expit(values * model.sigmoid_[:, 0] + model.sigmoid_[:, 1])
    # Coupling three pairs of probabilities that contradict each other little leaves them nearly as they were.
    predicted = model.predict(X)
    pair = predicted[:, [0, 0, 1]] / (predicted[:, [0, 0, 1]] + predicted[:, [1, 2, 2]])
    assert np.abs(pair - probability).max() < 0.1


def test_two_labels_need_no_coupling(table):
    X, D = table
    model = PTSVM(1.0).fit(X, D[:, :2])
    values = rbf_kernel(X, model.pivots_, gamma=0.01) @ model.dual_coef_[0] + model.intercept_[0]
    A, B = model.sigmoid_[0]
    assert_allclose(model.predict(X)[:, 0], expit(A * values + B), atol=1e-9)


def test_the_kernel_tolerance_trades_rank_for_accuracy(table):
    X, D = table
    exact, fine, coarse = (PTSVM(10, gamma=0.02, kernel_tolerance=t).fit(X, D) for t in (1e-9, 1e-4, 0.1))
    assert len(exact.pivots_) > len(fine.pivots_) > len(coarse.pivots_)
    gaps = [np.abs(model.predict(X) - exact.predict(X)).max() for model in (fine, coarse)]
    assert gaps[0] < 1e-3 < gaps[1]


def test_gamma_by_name_is_scikit_learns(table):
    X, D = table
    for gamma in ("scale", "auto"):
        reference = SVC(gamma=gamma).fit(X, D.argmax(axis=1))
        assert_allclose(PTSVM(gamma=gamma).fit(X, D).gamma_, reference._gamma)
    assert PTSVM(gamma="scale").fit(np.ones((50, 2)), D).gamma_ == 0.5


def test_the_weight_of_the_loss_has_an_effect(table):
    X, D = table
    weak, strong = (PTSVM(C, gamma=0.2).fit(X, D).predict(X) for C in (0.01, 100))
    assert np.abs(weak - strong).max() > 0.01


def test_features_that_say_nothing_give_the_mean(table):
    X, D = table
    for constant in (np.ones((50, 2)), 1e-6 * X):
        predicted = PTSVM().fit(constant, D).predict(constant)
        assert_allclose(predicted, np.tile(D.mean(axis=0), (50, 1)), atol=0.01)  # Platt's targets add a row or two


def test_a_label_that_never_occurs_gets_nothing_from_the_machines(table):
    X, D = table
    without = PTSVM().fit(X, D).predict(X)
    model = PTSVM().fit(X, np.insert(D, 1, 0, axis=1))
    assert model.pairs_ == [(0, 2), (0, 3), (2, 3)]
    assert_array_equal(model.predict(X)[:, 1], 0)
    assert_allclose(model.predict(X)[:, [0, 2, 3]], without, atol=1e-12)
    one_only = np.tile([0.0, 1.0], (50, 1))
    assert_array_equal(PTSVM().fit(X, one_only).predict(X), one_only)


def test_machines_on_drawn_examples_differ_by_the_seed_alone(table):
    X, D = table
    exact = PTSVM().fit(X, D).predict(X)
    first, again, other = (PTSVM(sampling="draw", random_state=s).fit(X, D).predict(X) for s in (0, 0, 1))
    assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert np.abs(first - exact).max() > 1e-3


def test_machines_learn_the_artificial_set():
    X, D = make_artificial(300, random_state=0)
    new, truth = make_artificial(300, random_state=1)
    assert PTSVM().fit(X, D).score(new, truth) > 0.9


@pytest.mark.parametrize(
    "parameters",
    [{"C": 0}, {"gamma": "wide"}, {"gamma": 0}, {"kernel_tolerance": 0}, {"sampling": 1}, {"random_state": "seed"}],
    ids=str,
)
def test_bad_parameters_of_the_machines_are_refused_by_name(table, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of PTSVM must be"):
        PTSVM(**parameters).fit(*table)


def test_the_rank_has_a_limit(rng):
    X, D = rng.normal(size=(60, 8)), rng.dirichlet(np.ones(3), size=60)
    wide = PTSVM(gamma=1.0).fit(X, D)
    assert len(wide.pivots_) > 10
    assert len(PTSVM(gamma=1.0, max_rank=10).fit(X, D).pivots_) == 10


def test_machines_say_how_far_they_may_be_from_their_minimum_and_warn_if_that_is_far(table, monkeypatch):
    model = PTSVM().fit(*table)
    assert model.gap_.shape == (len(model.pairs_),)
    assert model.gap_.max() <= 1e-9
    impatient = partial(problem_transformation.solve_two_sided_svm, max_iter=3)
    monkeypatch.setattr(problem_transformation, "solve_two_sided_svm", impatient)
    with pytest.warns(ConvergenceWarning, match=r"machines of \d+ of \d+ pairs of labels, first \(0, 1\), are not at"):
        assert PTSVM().fit(*table).gap_.max() > 1e-3


def test_a_variance_that_cannot_be_divided_by_is_told(table):
    X, D = table
    with pytest.raises(ValueError, match=r"gamma='scale' divides by the variance .* too small"):
        PTSVM(gamma="scale").fit(1e-170 * X, D)
