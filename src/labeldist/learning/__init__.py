"""Label distribution learning: predict distributions from features."""

from labeldist.learning._bdldl import BDLDL
from labeldist.learning._bdldl_cv import BDLDLCV
from labeldist.learning._blended_learner import BlendedLearner
from labeldist.learning._boosting import DistributionBoosting
from labeldist.learning._choice import Choice, choose_learner
from labeldist.learning._conformal_learner import ConformalLearner
from labeldist.learning._constant_learners import MeanDistribution
from labeldist.learning._enhanced_learner import EnhancedLearner
from labeldist.learning._forest import DistributionForest
from labeldist.learning._soft_label_classifier import SoftLabelClassifier
from labeldist.learning._softmax_regression import SoftmaxRegression, SoftmaxRegressionCV

__all__ = [
    "BDLDL",
    "BDLDLCV",
    "BlendedLearner",
    "Choice",
    "ConformalLearner",
    "DistributionBoosting",
    "DistributionForest",
    "EnhancedLearner",
    "MeanDistribution",
    "SoftLabelClassifier",
    "SoftmaxRegression",
    "SoftmaxRegressionCV",
    "choose_learner",
]
