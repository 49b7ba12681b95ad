"""Label enhancement: recover label distributions from tags or votes, and features."""

from labeldist.enhancement._bayes_le.estimator import BayesLE
from labeldist.enhancement._bdle import BDLE
from labeldist.enhancement._trivial import LogicalSoftmax, Uniform
from labeldist.enhancement._vote_le.estimator import VoteLE

__all__ = [
    "BDLE",
    "BayesLE",
    "LogicalSoftmax",
    "Uniform",
    "VoteLE",
]
