"""Label distribution learning: predict distributions from features."""

from labeldist.learning.baselines import MeanDistribution
from labeldist.learning.bdldl import BDLDL
from labeldist.learning.bdldl_cv import BDLDLCV
from labeldist.learning.choice import Choice, choose_learner
from labeldist.learning.edllrl import EDLLRL
from labeldist.learning.enhanced import EnhancedLearner
from labeldist.learning.forest import DistributionForest
from labeldist.learning.ldllc import LDLLC
from labeldist.learning.ldlscl import LDLSCL
from labeldist.learning.maximum_entropy import SABFGS, SAIIS
from labeldist.learning.neighbors import AAKNN
from labeldist.learning.network import AABP
from labeldist.learning.problem_transformation import PTSVM, PTBayes

__all__ = [
    "AABP",
    "AAKNN",
    "BDLDL",
    "BDLDLCV",
    "EDLLRL",
    "LDLLC",
    "LDLSCL",
    "PTSVM",
    "SABFGS",
    "SAIIS",
    "Choice",
    "DistributionForest",
    "EnhancedLearner",
    "MeanDistribution",
    "PTBayes",
    "choose_learner",
]
