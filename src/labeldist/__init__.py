"""Label distributions: recover them from logical labels, learn to predict them, judge them honestly."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labeldist.enhancement import BDLE, BayesLE
    from labeldist.learning import BDLDL, BDLDLCV, EnhancedLearner

__version__ = "0.1.0"

__all__ = ["BDLDL", "BDLDLCV", "BDLE", "BayesLE", "EnhancedLearner", "__version__"]

# Everything is imported when first asked for: with the estimators comes scikit-learn, and with that, where it is
# installed, pandas, which who only wants a measure or a version need not wait for.
_HOMES = {
    **dict.fromkeys(["BDLE", "BayesLE"], "labeldist.enhancement"),
    **dict.fromkeys(["BDLDL", "BDLDLCV", "EnhancedLearner"], "labeldist.learning"),
}
_ROOMS = (
    *("datasets", "enhancement", "exceptions", "explorer", "features", "learning", "metrics", "models", "plots"),
    *("simplex", "solvers"),
)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"labeldist.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
