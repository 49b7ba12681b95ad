"""The expected error of degrees, against votes simulated from known distributions."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax

from labeldist.datasets import list_datasets, load_dataset
from labeldist.exceptions import TableError
from labeldist.metrics import kl_divergence
from labeldist.simplex import normalize
from labeldist.votes import expected_error, from_votes, noise_ceiling
from tests.references import skill_of_truth_by_simulation

NUMBERS = [2, 3, 5, 10, 20]


def correlated_logits(rng, n_items):
    """Return distributions over ordered labels, in which neighbours have similar degrees."""
    positions = rng.standard_normal((n_items, 1)) * [-2, -1, 0, 1, 2]
    return softmax(positions + 0.3 * rng.standard_normal((n_items, 5)), axis=1)


def two_kinds(rng, n_items):
    """Return distributions of items of two kinds, which no Dirichlet distribution describes."""
    is_first = rng.random((n_items, 1)) < 0.5
    return np.where(is_first, [[0.9, 0.05, 0.05]], [[0.1, 0.45, 0.45]])


POPULATIONS = {
    "peaked Dirichlet": lambda rng, n: rng.dirichlet([0.3, 0.8, 0.4], n),
    "flat Dirichlet": lambda rng, n: rng.dirichlet([5.0] * 6, n),
    "logistic normal": lambda rng, n: softmax(1.5 * rng.standard_normal((n, 5)), axis=1),
    "correlated labels": correlated_logits,
    "two kinds of items": two_kinds,
}


def simulated_errors(truth, n, rng):
    """Return KL(truth, estimate) of both estimates from n votes per item."""
    counts = rng.multinomial(n, truth).astype(float)
    counted = from_votes(counts, smoothing=1).distributions
    estimated = from_votes(counts, smoothing="auto").distributions
    return kl_divergence(truth, counted), kl_divergence(truth, estimated)


def ratios(truth, n_pilot, rng):
    """Return expected divided by simulated errors, one row per estimate."""
    expected = expected_error(from_votes(rng.multinomial(n_pilot, truth)), NUMBERS)
    simulated = np.transpose([simulated_errors(truth, n, rng) for n in NUMBERS])
    return np.array([expected.counting, expected.dirichlet]) / simulated


@pytest.mark.parametrize("alpha", [[0.3, 0.8, 0.4], [2.0] * 6], ids=str)
def test_known_prior_agrees_with_simulation(alpha, rng):
    assert_allclose(ratios(rng.dirichlet(alpha, 30_000), 3, rng), 1, atol=0.04)


@pytest.mark.parametrize("n_pilot", [3, 10])
@pytest.mark.parametrize("draw", POPULATIONS.values(), ids=POPULATIONS)
def test_error_is_within_30_percent_of_simulated_truth(draw, n_pilot, rng):
    assert_allclose(ratios(draw(rng, 3_000), n_pilot, rng), 1, atol=0.3)


def test_error_of_chaos_nli(votes_folder, rng):
    lines = (votes_folder / "chaosNLI_snli.jsonl").read_text(encoding="utf-8").splitlines()
    counts = np.array([json.loads(line)["label_count"] for line in lines])
    truth = from_votes(counts).distributions
    assert_allclose(ratios(truth, 3, rng), 1, atol=0.3)
    # All votes at hand, of which some are drawn again.
    expected = expected_error(from_votes(counts), [5])
    assert expected.counting[0] == pytest.approx(simulated_errors(truth, 5, rng)[0], rel=0.1)


# On the other Yeast sets items hardly differ, and few votes do not show how much.
DIFFERENT_ITEMS = ("Movie", "Natural_Scene", "SBU_3DFE", "Yeast_spo", "Yeast_spoem")


@pytest.mark.parametrize("name", list_datasets())
def test_error_on_benchmark_sets(name, benchmark_folder, rng):
    truth = load_dataset(name, data_home=benchmark_folder, download_if_missing=False).target
    found = ratios(normalize(truth), 5, rng)
    # The largest ratio, 1.30, is that of 20 votes on Natural_Scene, which has many degrees of 0.
    assert_allclose(found[0], 1, atol=0.31)
    # The smallest ratio, 1 / 3.3, is that on Yeast_dtt, whose items are nearly alike.
    assert_allclose(np.log(found[1]), 0, atol=np.log(3.5))
    if name in DIFFERENT_ITEMS:
        assert_allclose(found[1], 1, atol=0.3)


def test_ceiling_is_that_of_noise_ceiling(rng):
    truth = rng.dirichlet([0.5, 1.0, 0.5], size=20_000)
    votes = from_votes(rng.multinomial(rng.integers(1, 9, size=20_000), truth))
    result = expected_error(votes, [4, 9])
    assert result.n_votes.tolist() == [4, 9]
    assert_allclose(result.ceiling, [noise_ceiling(votes, 4), noise_ceiling(votes, 9)], rtol=1e-9)
    simulated = skill_of_truth_by_simulation(truth, 9, rng)
    assert result.ceiling[1] == pytest.approx(simulated, abs=0.01)


def test_errors_fall_with_the_votes_and_are_never_zero():
    # The likelihood of items with the same shares is largest if they do not differ at all.
    result = expected_error(from_votes([[3, 1], [2, 2]] * 20), range(1, 30))
    for errors in (result.counting, result.dirichlet):
        assert (np.diff(errors) < 0).all()
        assert errors[-1] > 1e-3
    assert (result.dirichlet < result.counting).all()


@pytest.mark.parametrize("n_pilot", [3, 5])
@pytest.mark.parametrize("strength", [2, 5, 20])
def test_error_from_few_items(strength, n_pilot, rng):
    truth = rng.dirichlet(strength * np.array([0.5, 0.3, 0.2]), 300)
    counting, dirichlet = ratios(truth, n_pilot, rng)
    assert_allclose(counting, 1, atol=0.3)
    if strength < 20:  # else 300 items hardly show how much they differ
        assert_allclose(dirichlet, 1, atol=0.3)


def test_smoothing_and_items_without_votes_change_nothing():
    counts = [[3, 1, 0], [0, 4, 0], [1, 1, 3]]
    expected = expected_error(from_votes(counts), 5)
    other = expected_error(from_votes([*counts, [0, 0, 0]], smoothing=2), 5)
    assert_allclose(other.counting, expected.counting, rtol=1e-6)
    assert_allclose(other.dirichlet, expected.dirichlet, rtol=1e-6)


def test_one_label_needs_no_vote():
    result = expected_error(from_votes([[3], [2]]), [1, 3])
    assert_allclose(result.counting, 0, atol=1e-10)
    assert_allclose(result.dirichlet, 0, atol=1e-10)


def test_label_without_votes_is_possible():
    result = expected_error(from_votes([[3, 0], [2, 0]]), [1, 3])
    assert (result.dirichlet > 0.001).all()
    assert (result.counting > result.dirichlet).all()


def test_invalid_calls():
    with pytest.raises(TableError, match="one vote per item"):
        expected_error(from_votes([[1, 0], [0, 1]]), [3])
    for n_votes in ([3, 0], [2.5]):
        with pytest.raises(ValueError, match="n_votes must be positive whole numbers"):
            expected_error(from_votes([[1, 2]]), n_votes)
    with pytest.raises(TypeError, match="expected_error needs the result of from_votes"):
        expected_error([[1, 2]], 3)
