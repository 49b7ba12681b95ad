"""Validate the docstrings of all public names by numpydoc: ``python -m tools.check_docstrings``."""

import importlib
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType

from numpydoc.validate import validate

import labeldist

METHOD_CODES = {
    "GL01",
    "GL03",
    "GL06",
    "GL07",
    "GL08",
    "SS01",
    "SS05",
    "PR01",
    "PR02",
    "PR03",
    "PR05",
    "PR06",
    "RT01",
    "RT03",
}
"""Checks of methods: a summary, complete Parameters and Returns."""

CODES = METHOD_CODES | {"SA01", "EX01"}
"""Checks of functions and classes: See Also and Examples as well."""

WITHOUT_EXAMPLES = ("labeldist.exceptions",)
"""Modules whose classes need neither See Also nor Examples."""


def public_modules() -> list[ModuleType]:
    """Return the public modules of the package."""
    names = [name for name in dir(labeldist) if inspect.ismodule(getattr(labeldist, name))]
    return [importlib.import_module(f"labeldist.{name}") for name in names]


def public_names(module: ModuleType) -> list[str]:
    """Return ``__all__`` of a module, or the public classes and functions that it defines."""
    own = [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__
    ]
    return sorted(getattr(module, "__all__", [name for name in own if not name.startswith("_")]))


def documented() -> Iterator[tuple[str, set[str]]]:
    """Yield the dotted name of everything that needs a docstring, and the codes of its checks."""
    for module in public_modules():
        for name in public_names(module):
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            full = f"{module.__name__}.{name}"
            is_error = module.__name__ in WITHOUT_EXAMPLES
            codes = METHOD_CODES if is_error else CODES
            # The base class documents the parameters of errors and warnings.
            is_inherited = is_error and "__init__" not in vars(thing)
            yield full, codes - {"PR01"} if is_inherited else codes
            if not inspect.isclass(thing):
                continue
            for method, function in inspect.getmembers(thing, inspect.isroutine):
                ours = (getattr(function, "__module__", None) or "").startswith("labeldist")
                inherited = not function.__doc__ and inspect.getdoc(getattr(thing, method))
                if ours and not inherited and not method.startswith("_"):
                    yield f"{full}.{method}", METHOD_CODES


def main() -> None:
    """Print all errors, and exit with 1 if there are any."""
    messages = {
        f"{name}: {code} {message}"
        for name, codes in documented()
        for code, message in validate(name)["errors"]
        if code in codes
    }
    print("\n".join(sorted(messages)) or "All public docstrings are complete.")
    sys.exit(bool(messages))


if __name__ == "__main__":
    main()
