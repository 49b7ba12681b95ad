"""The noise ceiling, against simulated judgements and ChaosNLI."""

import json

import numpy as np
import pandas as pd
import pytest

from labeldist import VoteLE
from labeldist.exceptions import LabelWarning, TableError
from labeldist.votes import expected_error, from_votes, noise_ceiling
from tests.references import skill_of_truth_by_simulation


@pytest.fixture(scope="module")
def chaos_nli(votes_folder):
    """Counts of 100 votes on each item of the SNLI and MNLI parts."""
    files = [votes_folder / f"chaosNLI_{part}.jsonl" for part in ("snli", "mnli_m")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return np.array([json.loads(line)["label_count"] for line in lines])


@pytest.mark.parametrize("alpha", [[0.3, 0.8, 0.4], [0.1] * 6], ids=str)
@pytest.mark.parametrize(("known", "judging"), [(3, 3), (5, 20), (20, 5), (4, 1)])
def test_ceiling_agrees_with_simulation(alpha, known, judging, rng):
    truth = rng.dirichlet(alpha, size=40_000)
    ceiling = noise_ceiling(from_votes(rng.multinomial(known, truth)), n_votes=judging)
    assert ceiling == pytest.approx(skill_of_truth_by_simulation(truth, judging, rng), abs=0.01)


def test_default_is_the_items_own_numbers_of_votes(rng):
    truth, n = rng.dirichlet([0.5, 1.0, 0.5], size=20_000), rng.integers(1, 12, size=20_000)
    votes = from_votes(rng.multinomial(n, truth))
    expected = skill_of_truth_by_simulation(truth, n, rng)
    assert noise_ceiling(votes) == pytest.approx(expected, abs=0.01)
    assert noise_ceiling(votes, sample_weight=votes.weights) > noise_ceiling(votes) + 0.02
    assert noise_ceiling(votes, sample_weight=n == 5) == pytest.approx(
        noise_ceiling(votes, 5), abs=0.01
    )


def test_smoothing_and_items_without_votes_change_nothing():
    counts = [[3, 1, 0], [0, 4, 0], [1, 1, 3]]
    more = from_votes([*counts, [0, 0, 0]], smoothing=2)
    for n_votes in (None, 5):
        expected = noise_ceiling(from_votes(counts), n_votes)
        assert noise_ceiling(more, n_votes) == pytest.approx(expected, rel=1e-6)
    assert expected_error(more, 5).ceiling[0] == pytest.approx(expected, rel=1e-6)


def test_many_votes_are_judged_as_by_the_limit(rng):
    votes = from_votes(rng.multinomial(50, rng.dirichlet([2.0, 3.0], size=300)))
    losses = [1 / noise_ceiling(votes, n) - 1 for n in (150, 300, 1_200)]
    # The noise falls as 1/n already below the limit.
    assert losses[0] / losses[1] == pytest.approx(2, rel=0.01)
    assert losses[1] / losses[2] == pytest.approx(4, rel=1e-4)


def test_items_alike_and_unanimous_items():
    ceiling, (lower, _) = noise_ceiling(from_votes([[6, 2]] * 50), coverage=0.9)
    assert lower < 0.01
    assert ceiling < 0.05
    assert noise_ceiling(from_votes([[3, 0], [0, 3]] * 50)) == pytest.approx(1, abs=0.02)
    assert noise_ceiling(from_votes([[3], [2]])) == 1  # the mean is perfect too


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [[8, 6, 6], [2, 3, 4]], ids=str)
def test_ceiling_and_interval_of_a_small_pilot_study(alpha):
    population = np.random.default_rng(0).dirichlet(alpha, size=400_000)
    truth = skill_of_truth_by_simulation(population, 3, np.random.default_rng(1))
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        votes = from_votes(rng.multinomial(3, rng.dirichlet(alpha, size=60)))
        ceiling, (lower, upper) = noise_ceiling(votes, coverage=0.9)
        found.append([ceiling, lower, upper])
    ceilings, lower, upper = np.transpose(found)
    assert ceilings.min() > 0.01
    assert np.median(ceilings) == pytest.approx(truth, rel=0.3)
    assert ((lower <= truth) & (truth <= upper)).mean() > 0.85
    assert (lower < ceilings).all()
    assert (ceilings < upper).all()


def test_many_labels_have_a_larger_ceiling():
    rng = np.random.default_rng(0)
    ceilings = [
        noise_ceiling(from_votes(rng.multinomial(3, rng.dirichlet(np.ones(50), size=100))))
        for _ in range(10)
    ]
    assert np.mean(ceilings) == pytest.approx(0.14, abs=0.07)  # 0.144


def test_estimate_of_vote_le_agrees_if_the_prior_fits(rng):
    truth = rng.dirichlet([2, 3, 4], size=1500)
    votes = from_votes(rng.multinomial(4, truth))
    estimate = VoteLE().fit(None, votes)
    expected = noise_ceiling(votes)
    assert noise_ceiling(votes, estimate=estimate) == pytest.approx(expected, abs=0.03)
    simulated = skill_of_truth_by_simulation(truth, 20, rng)
    assert noise_ceiling(votes, 20, estimate=estimate) == pytest.approx(simulated, abs=0.05)


def test_estimate_must_have_the_same_items_and_no_interval():
    votes = from_votes([[3, 1], [0, 2], [4, 1]])
    estimate = VoteLE().fit(None, [[3, 1], [0, 2]])
    with pytest.raises(ValueError, match="2 items and 2 labels, but votes have 3 and 2"):
        noise_ceiling(votes, estimate=estimate)
    with pytest.raises(ValueError, match="coverage"):
        noise_ceiling(votes, estimate=VoteLE().fit(None, votes), coverage=0.9)


def test_weights_with_the_items_in_another_order_raise():
    counts = pd.DataFrame([[3, 1], [0, 4], [2, 2]], index=["a", "b", "c"])
    votes = from_votes(counts, counts=[0, 1])
    weight = pd.Series([1.0, 2.0, 3.0], index=["a", "b", "c"])
    noise_ceiling(votes, sample_weight=weight)
    with pytest.raises(ValueError, match=r"sample_weight.loc\[votes.items\]"):
        noise_ceiling(votes, sample_weight=weight[::-1])


def test_ceiling_of_chaos_nli(chaos_nli, rng):
    votes = from_votes(chaos_nli)
    assert noise_ceiling(votes, 5) == pytest.approx(0.70, abs=0.01)
    assert noise_ceiling(votes, 20) == pytest.approx(0.89, abs=0.01)
    five = from_votes(rng.multinomial(5, votes.distributions))
    assert noise_ceiling(five) == pytest.approx(0.70, abs=0.015)


def test_several_labels_of_an_annotator_warn():
    table = pd.DataFrame({"ann": ["joy;fear", "calm;fear"], "bob": ["joy;fear", "calm;fear"]})
    votes = from_votes(table, annotators=["ann", "bob"], separator=";")
    with pytest.warns(LabelWarning, match="too low"):
        noise_ceiling(votes)


def test_invalid_calls():
    with pytest.raises(TableError, match="one vote per item"):
        noise_ceiling(from_votes([[1, 0], [0, 1]]))
    with pytest.raises(ValueError, match=r"n_votes .* 0"):
        noise_ceiling(from_votes([[1, 2]]), 0)


@pytest.mark.parametrize("weight", [[1, -1, 1], [1, 1], [0, 0, 5]], ids=str)
def test_invalid_weights_raise(weight):
    votes = from_votes([[3, 1], [0, 2], [0, 0]], smoothing=1)
    with pytest.raises(ValueError, match="sample_weight must hold"):
        noise_ceiling(votes, sample_weight=weight)
