"""Displays of label distributions, predictions and models; drawing imports Matplotlib."""

from labeldist.plots._coefficients_and_grids import CoefficientDisplay, ParameterInfluenceDisplay
from labeldist.plots._critical_difference import CriticalDifferenceDisplay
from labeldist.plots._display import save_picture
from labeldist.plots._distributions import (
    AmbiguityDisplay,
    CalibrationDisplay,
    DistributionDisplay,
    PredictionDisplay,
    TernaryDisplay,
)
from labeldist.plots._expected_error import ExpectedErrorDisplay
from labeldist.plots._importance import FeatureImportanceDisplay

__all__ = ["AmbiguityDisplay", "CalibrationDisplay", "CoefficientDisplay"]
__all__ += ["CriticalDifferenceDisplay", "DistributionDisplay", "ExpectedErrorDisplay"]
__all__ += ["FeatureImportanceDisplay", "ParameterInfluenceDisplay", "PredictionDisplay"]
__all__ += ["TernaryDisplay", "save_picture"]
