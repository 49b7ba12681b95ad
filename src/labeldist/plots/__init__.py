"""Pictures of distributions, predictions and models, as Display classes after scikit-learn's pattern.

Matplotlib is imported when something is drawn, not before.
"""

from labeldist.plots.ambiguity import AmbiguityDisplay
from labeldist.plots.calibration import CalibrationDisplay
from labeldist.plots.coefficients import CoefficientDisplay
from labeldist.plots.distributions import DistributionDisplay
from labeldist.plots.influence import ParameterInfluenceDisplay
from labeldist.plots.predictions import PredictionDisplay
from labeldist.plots.recovery import RecoveryPathDisplay
from labeldist.plots.saving import save_picture
from labeldist.plots.ternary import TernaryDisplay

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
