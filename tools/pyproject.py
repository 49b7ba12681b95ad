"""What pyproject.toml asks for."""

import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def read() -> dict[str, Any]:
    """Return the content of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def runtime_requirements(pyproject: dict[str, Any]) -> dict[str, list[Requirement]]:
    """Return what the package needs, as ``"core"``, and what each of its extras needs, by name."""
    project = pyproject["project"]
    lists = {"core": project["dependencies"], **project["optional-dependencies"]}
    return {name: [Requirement(entry) for entry in entries] for name, entries in lists.items()}


def group_requirements(pyproject: dict[str, Any]) -> dict[str, list[Requirement]]:
    """Return what each group of tools for development needs, without the groups that it includes."""
    groups = pyproject["dependency-groups"]
    return {name: [Requirement(entry) for entry in groups[name] if isinstance(entry, str)] for name in groups}
