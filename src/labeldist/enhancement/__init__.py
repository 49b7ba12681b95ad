"""Label enhancement: from features and logical labels to label distributions."""

from labeldist.enhancement.baselines import LogicalSoftmax, Uniform
from labeldist.enhancement.bayes_le import BayesLE
from labeldist.enhancement.bdle import BDLE
from labeldist.enhancement.fcm import FCM
from labeldist.enhancement.glle import GLLE
from labeldist.enhancement.km import KM
from labeldist.enhancement.lp import LP
from labeldist.enhancement.ml import ML

__all__ = ["BDLE", "FCM", "GLLE", "KM", "LP", "ML", "BayesLE", "LogicalSoftmax", "Uniform"]
