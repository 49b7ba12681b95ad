"""Label enhancement: recover label distributions from tags or votes, and features."""

from labeldist.enhancement._bdle import BDLE
from labeldist.enhancement._trivial import LogicalSoftmax, Uniform
from labeldist.enhancement.bayes_le.estimator import BayesLE
from labeldist.enhancement.published.dldl import DLDL
from labeldist.enhancement.published.fcm import FCM
from labeldist.enhancement.published.glle import GLLE
from labeldist.enhancement.published.km import KM
from labeldist.enhancement.published.lp import LP
from labeldist.enhancement.published.ml import ML
from labeldist.enhancement.vote_le.estimator import VoteLE

__all__ = [
    "BDLE",
    "DLDL",
    "FCM",
    "GLLE",
    "KM",
    "LP",
    "ML",
    "BayesLE",
    "LogicalSoftmax",
    "Uniform",
    "VoteLE",
]
