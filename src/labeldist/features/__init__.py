"""From rows of features to what the solvers work on: standardised features, kernels, neighbour graphs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labeldist.features.kernel_features import KernelFeatures

__all__ = ["KernelFeatures"]


# Imported when first asked for: the functions beside it need less of scikit-learn than a transformer does.
def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("labeldist.features.kernel_features"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
