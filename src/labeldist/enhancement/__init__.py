"""Label enhancement: from features and logical labels to label distributions."""

from labeldist.enhancement.baselines import LogicalSoftmax, Uniform
from labeldist.enhancement.bdle import BDLE

__all__ = ["BDLE", "LogicalSoftmax", "Uniform"]
