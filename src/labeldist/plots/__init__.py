"""Pictures of distributions, predictions and models, as Display classes after scikit-learn's pattern.

Matplotlib is imported when something is drawn, not before.
"""

from labeldist.plots._ambiguity import AmbiguityDisplay
from labeldist.plots._calibration import CalibrationDisplay
from labeldist.plots._coefficients import CoefficientDisplay
from labeldist.plots._distributions import DistributionDisplay
from labeldist.plots._influence import ParameterInfluenceDisplay
from labeldist.plots._predictions import PredictionDisplay
from labeldist.plots._recovery import RecoveryPathDisplay
from labeldist.plots._saving import save_picture
from labeldist.plots._ternary import TernaryDisplay

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
