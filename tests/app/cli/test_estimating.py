"""What counting would need to be as good as the estimate."""

import numpy as np
import pytest
from scipy.special import rel_entr, softmax

from labeldist import VoteLE
from labeldist.app.cli.estimating import Estimate
from labeldist.votes import from_votes


def test_report_names_no_further_votes_if_counting_is_as_good():
    enhancer = VoteLE().fit(None, [[3, 0], [0, 3], [3, 0], [0, 3]])
    enhancer.vote_scores_["counting"] = enhancer.vote_scores_["mixture"]
    estimate = Estimate(enhancer, np.array([[3, 0], [0, 3]] * 2), [])
    assert estimate.further_votes == 0
    assert "further votes" not in " ".join(estimate.sentences)


@pytest.mark.parametrize(("learner", "slope"), [(None, 0.2), ("auto", 1.0)])
def test_further_votes_agree_with_simulated_votes(rng, learner, slope):
    X = rng.normal(size=(600, 2))
    means = softmax(slope * X @ rng.normal(size=(2, 4)), axis=1)
    D = np.array([rng.dirichlet(8 * mean) for mean in means])
    counts = rng.multinomial(4, D)
    enhancer = VoteLE(learner).fit(X, counts)
    error = divergence(D, enhancer.label_distributions_)
    further = Estimate(enhancer, counts, []).further_votes
    more, fewer = (
        divergence(D, from_votes(rng.multinomial(4 + n, D), smoothing=1).distributions)
        for n in (2 * further, further // 3)
    )
    assert further >= 4
    assert more < error < fewer


def divergence(D, P):
    return rel_entr(D, P).sum(axis=1).mean()


def test_further_votes_are_limited(rng):
    counts = rng.multinomial(10, [0.4, 0.3, 0.3], size=5000)  # all items are alike
    assert Estimate(VoteLE().fit(None, counts), counts, []).further_votes == 100
