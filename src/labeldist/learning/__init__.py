"""Label distribution learning: predict distributions from features."""

from labeldist.learning._bdldl import BDLDL
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._blended_learner import BlendedLearner
from labeldist.learning._boosting import DistributionBoosting
from labeldist.learning._choice import Choice, choose_learner
from labeldist.learning._conformal_learner import ConformalLearner
from labeldist.learning._enhanced_learner import EnhancedLearner
from labeldist.learning._forest import DistributionForest
from labeldist.learning._learner import MeanDistribution
from labeldist.learning._soft_label_classifier import SoftLabelClassifier
from labeldist.learning._softmax_regression import SoftmaxRegression, SoftmaxRegressionCV
from labeldist.learning.published.aa_bp import AABP
from labeldist.learning.published.aa_knn import AAKNN
from labeldist.learning.published.aldl import ALDL
from labeldist.learning.published.cpnn import CPNN
from labeldist.learning.published.delta_ldl import DeltaLDL
from labeldist.learning.published.df_ldl import DFLDL
from labeldist.learning.published.edl import EDL
from labeldist.learning.published.edl_lrl import EDLLRL
from labeldist.learning.published.incom_ldl import IncomLDL
from labeldist.learning.published.ld_logit_boost import LDLogitBoost
from labeldist.learning.published.ldl4c import LDL4C
from labeldist.learning.published.ldl_dpa import LDLDPA
from labeldist.learning.published.ldl_forest import LDLForest
from labeldist.learning.published.ldl_hr import LDLHR
from labeldist.learning.published.ldl_lc import LDLLC
from labeldist.learning.published.ldl_lclr import LDLLCLR
from labeldist.learning.published.ldl_ldm import LDLLDM
from labeldist.learning.published.ldl_lrr import LDLLRR
from labeldist.learning.published.ldl_scl import LDLSCL
from labeldist.learning.published.ldl_sf import LDLSF
from labeldist.learning.published.ldsvr import LDSVR
from labeldist.learning.published.plle import PLLE
from labeldist.learning.published.pt_bayes import PTBayes
from labeldist.learning.published.pt_svm import PTSVM
from labeldist.learning.published.sa_bfgs import SABFGS
from labeldist.learning.published.sa_iis import SAIIS
from labeldist.learning.published.win_ldl import WInLDL
from labeldist.learning.published.wsldl_mcsc import WSLDLMCSC

__all__ = [
    "AABP",
    "AAKNN",
    "ALDL",
    "BDLDL",
    "BDLDLCV",
    "CPNN",
    "DFLDL",
    "EDL",
    "EDLLRL",
    "LDL4C",
    "LDLDPA",
    "LDLHR",
    "LDLLC",
    "LDLLCLR",
    "LDLLDM",
    "LDLLRR",
    "LDLSCL",
    "LDLSF",
    "LDSVR",
    "PLLE",
    "PTSVM",
    "SABFGS",
    "SAIIS",
    "WSLDLMCSC",
    "BlendedLearner",
    "Choice",
    "ConformalLearner",
    "DeltaLDL",
    "DistributionBoosting",
    "DistributionForest",
    "EnhancedLearner",
    "IncomLDL",
    "LDLForest",
    "LDLogitBoost",
    "MeanDistribution",
    "PTBayes",
    "SoftLabelClassifier",
    "SoftmaxRegression",
    "SoftmaxRegressionCV",
    "WInLDL",
    "choose_learner",
]
