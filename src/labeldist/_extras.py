"""Optional dependencies, imported when they are needed, or named with the command that installs them."""

from importlib import import_module
from typing import Any

from labeldist.exceptions import MissingExtraError


def require(module: str, extra: str) -> Any:
    """Import `module`, or say which extra of labeldist brings it.

    >>> require("json", "app").dumps([1])
    '[1]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise  # it is there, and something that it needs is not: that is for its own words to say
        raise MissingExtraError(
            f"This needs {package}, which is not installed: pip install 'labeldist[{extra}]'."
        ) from None
