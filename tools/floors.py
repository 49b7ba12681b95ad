"""Print a pip constraints file with the lowest versions that pyproject.toml allows: ``python -m tools.floors``.

pip resolves to the newest that fits and cannot be asked for the oldest. ``make lowest`` installs with this file, and
tests there. What our dependencies bring themselves is not ours to bound, and stays the newest that fits.
"""

from itertools import chain
from typing import Any

from tools import pyproject


def floors(project: dict[str, Any]) -> dict[str, str]:
    """Return the lowest version of each dependency of the package, its extras and its groups, by name.

    Raises
    ------
    ValueError
        If one has no single lower bound, or two places ask for different ones.
    """
    lowest: dict[str, str] = {}
    lists = [*pyproject.runtime_requirements(project).values(), *pyproject.group_requirements(project).values()]
    for requirement in chain.from_iterable(lists):
        bounds = [bound.version for bound in requirement.specifier if bound.operator == ">="]
        if len(bounds) != 1:
            raise ValueError(f"{requirement} must have one lower bound, as in {requirement.name}>=1.2.")
        if lowest.setdefault(requirement.name, bounds[0]) != bounds[0]:
            raise ValueError(f"{requirement.name} has two floors, {lowest[requirement.name]} and {bounds[0]}.")
    return lowest


def main() -> None:
    """Print the constraints."""
    print("# The lowest versions that pyproject.toml allows, written by tools/floors.py.")
    for name, version in sorted(floors(pyproject.read()).items()):
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
