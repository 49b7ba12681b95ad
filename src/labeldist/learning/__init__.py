"""Label distribution learning: predict distributions from features."""

from labeldist.learning.baselines import MeanDistribution
from labeldist.learning.bdldl import BDLDL
from labeldist.learning.enhanced import EnhancedLearner

__all__ = ["BDLDL", "EnhancedLearner", "MeanDistribution"]
