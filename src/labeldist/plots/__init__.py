"""Displays of label distributions, predictions and models. Matplotlib is imported when one is drawn."""

from labeldist.plots._display import save_picture
from labeldist.plots._distributions import (
    AmbiguityDisplay,
    CalibrationDisplay,
    DistributionDisplay,
    PredictionDisplay,
    TernaryDisplay,
)
from labeldist.plots._importance import FeatureImportanceDisplay
from labeldist.plots._parameters import CoefficientDisplay, ParameterInfluenceDisplay

__all__ = ["AmbiguityDisplay", "CalibrationDisplay", "CoefficientDisplay", "DistributionDisplay"]
__all__ += ["FeatureImportanceDisplay", "ParameterInfluenceDisplay", "PredictionDisplay"]
__all__ += ["TernaryDisplay", "save_picture"]
