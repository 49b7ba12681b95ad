"""Degrees estimated from votes by `VoteLE`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.table_files import check_several
from labeldist.app.tables.column_selection import LabelledTable
from labeldist.app.text import counted
from labeldist.app.types import Array
from labeldist.utils import listed

MAX_FEATURES = 5  # The text names the first ones.
FURTHER_VOTES = (0, 1, 2, 5, 10, 20, 50, 100)
MAX_VOTES = FURTHER_VOTES[-1]  # Counting more votes per item is not compared with the estimate.
TEXT_FOLDS = 3  # Of the search for the ridge of softmax regression on text.


@dataclass(frozen=True)
class Estimate:
    """A `VoteLE` that is fitted to counts of votes, and the features that it uses."""

    enhancer: Any
    counts: Array
    features: list[str]

    @property
    def sentences(self) -> list[str]:
        """Text about the features, and about the estimate compared with counting."""
        used = "votes alone"
        if self.features:
            names = listed(self.features, MAX_FEATURES)
            used = f"votes and features: {names}"
        scores = self.enhancer.vote_scores_
        estimate, counting = np.exp([scores["mixture"], scores["counting"]])
        sentences = [
            f"Estimated by VoteLE from {used}.",
            f"Mean probability of a held-out vote (geometric): {estimate:.3f} by VoteLE, "
            f"{counting:.3f} by counting.",
        ]
        n_votes = self.further_votes
        if n_votes:
            number = counted(n_votes, "further vote")
            number = f"about {number}" if n_votes < MAX_VOTES else f"more than {number}"
            sentences.append(f"Counting alone would need {number} per item for that.")
        return sentences

    @property
    def facts(self) -> dict[str, Any]:
        """Entries in the JSON of a command."""
        return {
            "features": self.features,
            "prior_weights": self.enhancer.weights_,
            "vote_scores": self.enhancer.vote_scores_,
            "further_votes": self.further_votes,
        }

    @cached_property
    def further_votes(self) -> int | None:
        """Return how many votes per item counting needs in addition, to be as good as the estimate.

        `expected_error` is the error of the Dirichlet estimate from the other votes of a left-out
        vote. The error of the mixture is lower by the difference of their scores, since the
        expected score is minus the error, up to a constant. The result is None if no item has two
        votes, 0 if counting is as good, and at most `MAX_VOTES`.
        """
        from labeldist.votes import expected_error, from_votes

        n_votes = self.counts.sum(axis=1)
        n_others = n_votes @ (n_votes - 1) / n_votes.sum()  # of a vote, on average
        if n_others == 0:
            return None
        scores = self.enhancer.vote_scores_
        if scores["mixture"] <= scores["counting"]:
            return 0
        n_counted = max(1, round(n_others))
        votes = from_votes(self.counts[n_votes > 0])
        expected = expected_error(votes, n_counted + np.array(FURTHER_VOTES))
        error = expected.dirichlet[0] - (scores["mixture"] - scores["dirichlet"])
        # The error of counting is about proportional to 1 / n.
        inverse = 1 / max(error, expected.counting[-1])
        return round(np.interp(inverse, 1 / expected.counting, FURTHER_VOTES))


def fit_vote_le(
    counts: Array, given: LabelledTable, reporter: Reporter, *, prepare: bool
) -> Estimate:
    """Fit a `VoteLE` to counts of votes, with the features of a table if it has any.

    Its learner is softmax regression on TF-IDF weights for prepared text, else ``"auto"``.
    """
    from scipy.sparse import issparse

    from labeldist import VoteLE
    from labeldist.app.tables.preparation import CHARACTERS, WORDS, prepare_columns
    from labeldist.learning import SoftmaxRegressionCV

    check_several(given.labels)
    X: Any = None
    learner: Any = "auto" if given.features else None
    if prepare and not learner:
        advice = "Name features with --features, or add a table of them with --join"
        reporter.note(f"--prepare has no effect without features. {advice}.")
    if learner and prepare:
        columns = given.kinds.converted(given.features)
        preparation = prepare_columns(columns, [WORDS, CHARACTERS], given.kinds)
        X = preparation.fit_transform(columns)
        if issparse(X):  # there is text
            learner = SoftmaxRegressionCV(cv=TEXT_FOLDS, tol=1e-4)
    elif learner:
        X = given.X
    with reporter.working(f"Estimating distributions of {len(counts)} items"):
        enhancer = VoteLE(learner).fit(X, counts)
    if learner is not None and enhancer.learner_ is None:
        reporter.note("the features are not used: they do not help to predict votes.")
    used = [] if enhancer.learner_ is None else given.features
    return Estimate(enhancer, counts, used)
