"""Import of optional dependencies."""

from importlib import import_module
from typing import Any

from labeldist.exceptions import MissingExtraError


def require(module: str, extra: str) -> Any:
    """Import a module of an optional dependency.

    If it is not installed, the `MissingExtraError` names the extra of labeldist that installs it.

    Parameters
    ----------
    module : str
        Name of the module.
    extra : str
        Name of the extra.

    Returns
    -------
    module
        The module.

    See Also
    --------
    importlib.import_module : Import a module by its name.

    Examples
    --------
    >>> from labeldist.utils import require
    >>> require("json", "app").dumps([1])
    '[1]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            raise  # the package is installed, but one of its own dependencies is missing
        problem = f"This needs {package}, which is not installed"
        raise MissingExtraError(f"{problem}: {how_to_install(extra)}") from None


def how_to_install(extra: str) -> str:
    """Return the commands that install an extra of labeldist, from a release or a clone.

    >>> how_to_install("app")
    "pip install '.[app]' in a clone, or pip install 'labeldist[app]' after the first release"
    """
    from_release = f"pip install 'labeldist[{extra}]' after the first release"
    return f"pip install '.[{extra}]' in a clone, or {from_release}"
