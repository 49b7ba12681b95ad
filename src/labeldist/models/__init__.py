"""Models that can be kept: one file that executes nothing when it is loaded, and ONNX for other runtimes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labeldist.models._answering import answers
    from labeldist.models._card import ModelCard
    from labeldist.models._export import exportable, to_onnx
    from labeldist.models._names import feature_names_of, label_names_of
    from labeldist.models._persistence import load, read_card, save

__all__ = [
    "ModelCard",
    "answers",
    "exportable",
    "feature_names_of",
    "label_names_of",
    "load",
    "read_card",
    "save",
    "to_onnx",
]

_MODULES = {
    "answers": "_answering",
    "ModelCard": "_card",
    **dict.fromkeys(["exportable", "to_onnx"], "_export"),
    **dict.fromkeys(["feature_names_of", "label_names_of"], "_names"),
    **dict.fromkeys(["load", "read_card", "save"], "_persistence"),
}


# Imported when first asked for: pictures look into models, and need none of what it takes to keep them.
def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"labeldist.models.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
