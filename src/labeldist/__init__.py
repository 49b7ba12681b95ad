"""Label distributions: recover them from tags or votes, and predict them from features."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labeldist.comparison import compare
    from labeldist.enhancement import BDLE, BayesLE, VoteLE
    from labeldist.learning import BDLDL, BDLDLCV, EnhancedLearner, choose_learner

__version__ = "0.1.0"

__all__ = [
    "BDLDL",
    "BDLDLCV",
    "BDLE",
    "BayesLE",
    "EnhancedLearner",
    "VoteLE",
    "__version__",
    "choose_learner",
    "compare",
]

# Names are imported on first use: the estimators load scikit-learn, which takes a second that the
# measures do not need.
_MODULES = {
    "compare": "comparison",
    **dict.fromkeys(["BDLE", "BayesLE", "VoteLE"], "enhancement"),
    **dict.fromkeys(["BDLDL", "BDLDLCV", "EnhancedLearner", "choose_learner"], "learning"),
}
_SUBMODULES = (
    "comparison",
    "datasets",
    "enhancement",
    "exceptions",
    "features",
    "learning",
    "metrics",
    "models",
    "plots",
    "published",
    "simplex",
    "utils",
    "votes",
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"labeldist.{_MODULES[name]}"), name)
    if name in _SUBMODULES:
        return import_module(f"labeldist.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
