"""Displays of label distributions, predictions and models, in scikit-learn's Display pattern.

Matplotlib is imported when a display is drawn.
"""

from labeldist.plots._display import save_picture
from labeldist.plots._distributions import AmbiguityDisplay, DistributionDisplay, TernaryDisplay
from labeldist.plots._parameters import CoefficientDisplay, ParameterInfluenceDisplay, RecoveryPathDisplay
from labeldist.plots._predictions import CalibrationDisplay, PredictionDisplay

__all__ = [
    "AmbiguityDisplay",
    "CalibrationDisplay",
    "CoefficientDisplay",
    "DistributionDisplay",
    "ParameterInfluenceDisplay",
    "PredictionDisplay",
    "RecoveryPathDisplay",
    "TernaryDisplay",
    "save_picture",
]
