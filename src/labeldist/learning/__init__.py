"""Label distribution learning: predict distributions from features."""

from labeldist.learning._adaptive import ALDL
from labeldist.learning._bdldl import BDLDL
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._choice import Choice, choose_learner
from labeldist.learning._conformal import ConformalLearner
from labeldist.learning._correlation_learners import EDLLRL, LDLLC, LDLSCL
from labeldist.learning._decomposition import DFLDL
from labeldist.learning._enhanced import EnhancedLearner
from labeldist.learning._forest import DistributionBoosting, DistributionForest, LDLogitBoost
from labeldist.learning._incomplete import WSLDLMCSC, IncomLDL, WInLDL
from labeldist.learning._learner import MeanDistribution
from labeldist.learning._neighbors import AAKNN
from labeldist.learning._network import AABP, CPNN
from labeldist.learning._penalised_softmax import EDL, LDL4C, LDLDPA, LDLHR, LDLLDM, LDLLRR, DeltaLDL
from labeldist.learning._problem_transformation import PTSVM, PTBayes
from labeldist.learning._proximal_learners import LDLLCLR, LDLSF
from labeldist.learning._soft_forest import LDLForest
from labeldist.learning._soft_label import SoftLabelClassifier
from labeldist.learning._softmax_learners import SABFGS, SAIIS
from labeldist.learning._softmax_regression import SoftmaxRegression, SoftmaxRegressionCV
from labeldist.learning._support_vectors import LDSVR, PLLE

__all__ = ["AABP", "AAKNN", "ALDL", "BDLDL", "BDLDLCV", "CPNN", "DFLDL", "EDL", "EDLLRL", "LDL4C", "LDLDPA"]
__all__ += ["LDLHR", "LDLLC", "LDLLCLR", "LDLLDM", "LDLLRR", "LDLSCL", "LDLSF", "LDSVR", "PLLE", "PTSVM"]
__all__ += ["SABFGS", "SAIIS", "WSLDLMCSC"]
__all__ += ["Choice", "ConformalLearner", "DeltaLDL", "DistributionBoosting", "DistributionForest"]
__all__ += ["EnhancedLearner", "IncomLDL", "LDLForest", "LDLogitBoost", "MeanDistribution", "PTBayes"]
__all__ += ["SoftLabelClassifier", "SoftmaxRegression", "SoftmaxRegressionCV", "WInLDL", "choose_learner"]
