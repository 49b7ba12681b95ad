"""The identity of a method: a hash of its parameters and of its code."""

from __future__ import annotations

import ast
import io
import pickle
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
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

    The code is the source of their modules and of the own modules that these import, with the
    constants and class attributes whose values differ from the source. Of installed packages it is
    the version.
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
            is_python = path.suffix == ".py"
            changed = _changed_values(name, _literals(source) if is_python else {})
            found[name] = str(joblib.hash([source, changed] if changed else source))
            imported = _imports(source, _package(name, path)) if is_python else ()
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


def _changed_values(name: str, literals: dict[str, str]) -> list[tuple[str, str]]:
    """Return constants and class attributes of a module that its source does not give literally.

    Values of simple types count: upper-case names of the module, and all names of its classes. A
    module that is not imported yet has none.
    """
    module = sys.modules.get(name)
    values = {} if module is None else dict(_values(name, vars(module)))
    return sorted(item for item in values.items() if literals.get(item[0]) != item[1])


def _values(module: str, names: Mapping[str, Any], around: str = "") -> Iterator[tuple[str, str]]:
    """Return the simple values in a module or class, and in the classes defined there, as text."""
    for name, value in list(names.items()):
        place = f"{around}{name}"
        if isinstance(value, type):
            if (value.__module__, value.__qualname__) == (module, place):
                yield from _values(module, vars(value), f"{place}.")
        elif _is_simple(value) and (name.isupper() or (around and not name.startswith("__"))):
            yield place, repr(value)


def _is_simple(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_simple, value))
    return value is None or isinstance(value, int | float | str)


@lru_cache(maxsize=1000)
def _literals(source: bytes) -> dict[str, str]:
    """Return the literals that a source assigns to names of the module and of its classes."""
    return dict(_assigned(ast.parse(source).body))


def _assigned(statements: list[ast.stmt], around: str = "") -> Iterator[tuple[str, str]]:
    for node in statements:
        if isinstance(node, ast.ClassDef):
            yield from _assigned(node.body, f"{around}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            with suppress(ValueError):  # not a literal
                text = repr(ast.literal_eval(node.value))
                yield from [(around + to.id, text) for to in targets if isinstance(to, ast.Name)]


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
