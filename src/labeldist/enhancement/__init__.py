"""Label enhancement: recover label distributions from features and logical labels."""

from labeldist.enhancement._bayes_le import BayesLE
from labeldist.enhancement._bdle import BDLE
from labeldist.enhancement._dldl import DLDL
from labeldist.enhancement._fcm import FCM
from labeldist.enhancement._glle import GLLE
from labeldist.enhancement._km import KM
from labeldist.enhancement._lp import LP
from labeldist.enhancement._ml import ML
from labeldist.enhancement._trivial import LogicalSoftmax, Uniform

__all__ = ["BDLE", "DLDL", "FCM", "GLLE", "KM", "LP", "ML", "BayesLE", "LogicalSoftmax", "Uniform"]
