"""The experiment on few votes."""

import numpy as np
import pytest

from reproduction.few_votes import METHODS, read_votes, real_votes, simulated_votes


@pytest.mark.usefixtures("benchmark_folder")
def test_simulated_votes_are_compared_with_the_truth():
    values = simulated_votes("SBU_3DFE", 3, 0)
    assert set(values) == {*METHODS, "coverage"}
    assert values["VoteLE, features"] < values["VoteLE"] < values["counting"]
    assert 0.8 < values["coverage"] < 1


@pytest.mark.usefixtures("votes_folder")
def test_other_votes_judge_the_known_ones(monkeypatch):
    texts, counts = read_votes("POPQUORN")
    assert counts.shape == (1500, 5)
    monkeypatch.setattr("reproduction.few_votes.read_votes", lambda _: (texts[:300], counts[:300]))
    losses = real_votes("POPQUORN", 3, 0)
    assert set(losses) == set(METHODS)
    assert losses["VoteLE"] < losses["smoothing"] < losses["counting"]
    assert np.isfinite(list(losses.values())).all()
