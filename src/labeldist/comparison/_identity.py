"""The identity of a method: a hash of its parameters and of its code."""

from __future__ import annotations

import ast
import io
import pickle
import sys
import sysconfig
from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import FunctionType
from typing import Any

import joblib

# Code of Python and of installed packages is identified by versions.
STANDARD_LIBRARY = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")
)
PACKAGE_FOLDERS = {"site-packages", "dist-packages"}


class NoIdentityError(Exception):
    """An object has no identity that another process would find again; the message says why."""


def identity_of(estimator: Any) -> str:
    """Return a hash of the content of an estimator, and of the code of its classes and functions.

    The code is the source of their modules and of the own modules that these import. Of installed
    packages it is the version.
    """
    names = _Names()
    try:
        names.dump(estimator)
        return str(joblib.hash([joblib.hash(estimator), _code(names.modules)]))
    except NoIdentityError:
        raise
    except Exception as error:  # of several types, from any class inside the estimator
        raise NoIdentityError(f"it cannot be pickled: {error}") from error


class _Names(pickle.Pickler):
    """Finds the modules of all classes and functions inside an object."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), protocol=5)
        self.modules: set[str] = set()

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, (type, FunctionType)):
            name = f"{obj.__module__}.{obj.__qualname__}"
            if "<" in obj.__qualname__:
                raise NoIdentityError(f"{name} is a lambda, or is defined inside a function")
            self.modules.add(obj.__module__)
        return NotImplemented


def _code(modules: Iterable[str]) -> list[tuple[str, str]]:
    """Return names of modules with hashes of their sources, or versions of their packages."""
    found: dict[str, str] = {}
    remaining = list(modules)
    while remaining:
        name = remaining.pop()
        path = _own_file(name)
        if path is None:
            found[name] = _version(name)
        elif name not in found:
            source = path.read_bytes()
            found[name] = str(joblib.hash(source))
            imported = _imports(source, _package(name, path)) if path.suffix == ".py" else ()
            remaining += [one for one in imported if one not in found and _own_file(one)]
    return sorted(found.items())


def _own_file(name: str) -> Path | None:
    """Return the file of a module that is neither installed nor a part of this library."""
    if name.partition(".")[0] == "labeldist":
        return None
    file = _file(name)
    if file is None:
        return None
    path = Path(file).resolve()
    is_standard = any(path.is_relative_to(folder) for folder in STANDARD_LIBRARY)
    return None if is_standard or PACKAGE_FOLDERS & set(path.parts) else path


def _file(name: str) -> str | None:
    """Return the file of a module; None if it has none or is not a module."""
    if name in sys.modules:
        file = getattr(sys.modules[name], "__file__", None)
        if name == "__main__" and file is None:
            raise NoIdentityError("its code is not in a file")
        return file
    spec = _spec(name)
    return spec.origin if spec and spec.has_location else None


def _spec(name: str) -> ModuleSpec | None:
    """Find a module; `importlib.util.find_spec` would import the packages around it."""
    package = name.rpartition(".")[0]
    if package:
        around = _spec(package)
        folders = around and around.submodule_search_locations
        return PathFinder.find_spec(name, folders) if folders else None
    try:
        return find_spec(name)
    except ValueError:  # of modules that were not imported in the usual way
        return None


def _version(name: str) -> str:
    package = sys.modules.get(name.partition(".")[0])
    return str(getattr(package, "__version__", ""))


def _package(name: str, path: Path) -> str:
    """Return the package that relative imports in a module refer to."""
    if name == "__main__":
        return getattr(sys.modules[name], "__package__", None) or ""
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


@lru_cache(maxsize=1000)
def _imports(source: bytes, package: str) -> frozenset[str]:
    """Return the names that a source imports anywhere, and the packages around them."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            names += [f"{base}.{alias.name}" for alias in node.names]
    parts = [name.split(".") for name in names]
    return frozenset(".".join(part[:n]) for part in parts for n in range(1, len(part) + 1))
