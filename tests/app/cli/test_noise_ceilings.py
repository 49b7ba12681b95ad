"""Noise ceilings of tables with shares of votes."""

import numpy as np
import pandas as pd
import pytest

from labeldist import VoteLE
from labeldist.app.cli.noise_ceilings import noise_ceiling_of
from labeldist.votes import from_votes, noise_ceiling
from tests.app.cli.in_process import run, run_json
from tests.app.cli.songs import FIT, LABELS, NAMES


def test_noise_ceiling_of_shares_of_votes(table, rng):
    n_votes = rng.integers(1, 9, size=120)
    truth = table[LABELS].to_numpy()
    counts = rng.multinomial(n_votes, truth / truth.sum(axis=1, keepdims=True))
    votes = from_votes(counts)
    estimate = VoteLE().fit(None, votes)
    table[LABELS] = votes.distributions.round(2)
    table.assign(votes=n_votes).to_csv("dist.csv", index=False)
    for command in (("evaluate", "dist.csv", "pred.csv", *NAMES), (*FIT, "mean", "--force")):
        plain = run_json(*command)["noise_ceiling"]
        weighted = run_json(*command, "--weights", "votes")["noise_ceiling"]
        assert plain == pytest.approx(noise_ceiling(votes, estimate=estimate), abs=1e-6)
        expected = noise_ceiling(votes, sample_weight=n_votes, estimate=estimate)
        assert weighted == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n_votes", [0, np.nan])
def test_rows_without_votes_have_no_effect_on_the_noise_ceiling(n_votes):
    D = np.array([[2 / 3, 1 / 3], [0, 1], [1, 0], [0.5, 0.5]])
    frame = pd.DataFrame({"votes": [3, 3, 3, n_votes]})
    found, _ = noise_ceiling_of(frame, D, None, 0.1)
    expected, _ = noise_ceiling_of(frame[:3], D[:3], None, 0.1)
    assert 0 < expected == found


def test_skill_above_the_noise_ceiling_is_explained(table, rng):
    votes = from_votes(rng.multinomial(5, table[LABELS]))
    D = votes.distributions
    table[LABELS] = D
    table.assign(votes=5).to_csv("dist.csv", index=False)
    command = ("evaluate", "dist.csv", "pred.csv", *NAMES)
    ceiling = noise_ceiling(votes, estimate=VoteLE().fit(None, votes))
    for share_of_truth, is_above in ((0.1, False), (0.18, True)):
        table[LABELS] = share_of_truth * D + (1 - share_of_truth) * D.mean(axis=0)
        table.to_csv("pred.csv", index=False)
        excess = run_json(*command)["skill"] - ceiling
        assert abs(excess) < 0.1
        assert (excess > 0) == is_above
        text = run(*command).stdout
        assert "estimated from the votes" in text
        assert ("this estimate is rough" in text) == is_above


def test_other_degrees_have_no_noise_ceiling(table, rng):
    top = np.eye(3)[rng.integers(3, size=120)]
    offsets = np.outer(rng.random(120), [-1e-5, 1e-5, 0])
    posteriors = np.where(top == 1, 0.998, 0.001) + offsets
    smoothed = from_votes(5 * top, smoothing=0.01).distributions
    for degrees in (posteriors, posteriors.round(3), smoothed):
        table[LABELS] = degrees
        table.assign(votes=5).to_csv("dist.csv", index=False)
        assert run_json("evaluate", "dist.csv", "pred.csv", *NAMES)["noise_ceiling"] is None
