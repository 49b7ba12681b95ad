"""Label distribution learning: predict distributions from features."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from labeldist.learning.baselines import MeanDistribution
from labeldist.learning.bdldl import BDLDL
from labeldist.learning.bdldl_cv import BDLDLCV
from labeldist.learning.edllrl import EDLLRL
from labeldist.learning.enhanced import EnhancedLearner
from labeldist.learning.forest import DistributionForest
from labeldist.learning.ldllc import LDLLC
from labeldist.learning.ldlscl import LDLSCL
from labeldist.learning.maximum_entropy import SABFGS, SAIIS
from labeldist.learning.neighbors import AAKNN
from labeldist.learning.network import AABP
from labeldist.learning.problem_transformation import PTSVM, PTBayes

if TYPE_CHECKING:
    from labeldist.learning.choice import Choice, choose_learner

__all__ = [
    "AABP",
    "AAKNN",
    "BDLDL",
    "BDLDLCV",
    "EDLLRL",
    "LDLLC",
    "LDLSCL",
    "PTSVM",
    "SABFGS",
    "SAIIS",
    "Choice",
    "DistributionForest",
    "EnhancedLearner",
    "MeanDistribution",
    "PTBayes",
    "choose_learner",
]


# Imported when first asked for: they need more of scikit-learn than a learner does.
def __getattr__(name: str) -> Any:
    if name in ("Choice", "choose_learner"):
        return getattr(import_module("labeldist.learning.choice"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
