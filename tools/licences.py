"""List the licences of everything that the package and its extras bring: ``python -m tools.licences docs/licences.md``.

They are read from the metadata of what is installed, over dependencies of dependencies. If there is one that would bind
those who use labeldist more than its own licence (BSD-3-Clause) does, or that is not known, the command says so and
fails.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import pyproject

PERMISSIVE = {
    *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "HPND", "ISC", "MIT"),
    *("MIT-CMU", "PSF-2.0", "Zlib"),
}
"""Ask for no more than that notices are kept."""

BINDING_THEMSELVES = {"MPL-2.0": "binds who changes its own files: it is imported as it is, and not in our wheel"}
"""Accepted although they ask for more, and why."""

SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License v2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What packages write for the identifiers of SPDX. "BSD" may be any of its family."""

IN_THE_FILE_ONLY = {"skops": "MIT"}
"""Packages whose metadata name no licence, and what their licence file says."""

OF_GCC = {
    "libgfortran": "GPL with GCC's runtime exception, which frees what is linked to it",
    "libgomp": "GPL with GCC's runtime exception, which frees what is linked to it",
    "libquadmath": "LGPL, linked dynamically: it can be exchanged",
}
"""Libraries that wheels for Linux carry beside what their metadata name, and why these bind nobody here."""

UNKNOWN = "unknown"


class LicenceError(Exception):
    """A licence does not go with ours, or cannot be found out."""


@dataclass(frozen=True)
class Package:
    """A dependency, its licence, which extras bring it (or ``core``), and what of GCC its wheel carries."""

    name: str
    licence: str
    brought_by: tuple[str, ...]
    carries: tuple[str, ...] = ()

    @property
    def is_compatible(self) -> bool:
        """Whether there is a way to use it that asks for nothing that is not accepted above."""
        accepted = {*PERMISSIVE, *BINDING_THEMSELVES}
        return any(set(choice.split(" AND ")) <= accepted for choice in self.licence.split(" OR "))


def licence_of(package: Distribution) -> str:
    """Return the licence that a package states in its metadata, the most exact statement first."""
    metadata = package.metadata
    classifiers = [text.split(" :: ") for text in metadata.get_all("Classifier", [])]
    stated = [*metadata.get_all("License-Expression", []), *metadata.get_all("License", [])]
    stated += [IN_THE_FILE_ONLY.get(metadata["Name"], "")]
    stated += [parts[-1] for parts in classifiers if parts[0] == "License" and len(parts) > 2]
    known = {*PERMISSIVE, *BINDING_THEMSELVES}
    spelled = [SPELLINGS.get(text, text) for text in stated if text]
    recognised = [text for text in spelled if set(text.replace(" OR ", " AND ").split(" AND ")) <= known]
    return next(iter([*recognised, *spelled]), UNKNOWN).strip().partition("\n")[0]


def brought(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """Return the packages that requirements bring, and those that these bring, by name."""
    found: dict[str, Distribution] = {}
    waiting = [(requirement, extra) for requirement in requirements for extra in ("", *requirement.extras)]
    seen = set()
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        found[name] = _installed(name)
        for further in map(Requirement, found[name].requires or ()):
            if further.marker is None or further.marker.evaluate({"extra": extra}):
                waiting += [(further, inner) for inner in ("", *further.extras)]
    return found


@cache  # several extras bring the same
def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise LicenceError(f"{name} is not installed: install all extras first.") from None


def packages(requirements: dict[str, list[Requirement]]) -> list[Package]:
    """Return every package that the core or an extra brings; `requirements` by extra."""
    by_extra = {extra: brought(entries) for extra, entries in requirements.items()}
    everything = {name: package for found in by_extra.values() for name, package in found.items()}
    return [
        Package(
            name,
            licence_of(package),
            tuple(extra for extra, found in by_extra.items() if name in found),
            _carried_by(package),
        )
        for name, package in sorted(everything.items())
    ]


def _carried_by(package: Distribution) -> tuple[str, ...]:
    record = package.read_text("RECORD") or ""  # as text: packages with thousands of files are searched in no time
    return tuple(library for library in OF_GCC if f"/{library}" in record)


def page(listed: list[Package]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Licences\n\nWritten by `make licences` from the metadata of the versions in `constraints.txt`."
    yield f"labeldist itself is BSD-3-Clause; the core and all extras bring {len(listed)} packages.\n"
    yield "- Most licences ask for notices (of their authors, of changes) and no more. None is the GPL, AGPL or LGPL."
    for licence, reason in BINDING_THEMSELVES.items():
        yield f"- {licence} {reason}: {_names(package for package in listed if licence in package.licence)}."
    for library, reason in OF_GCC.items():
        carriers = _names(package for package in listed if library in package.carries)
        yield f"- Wheels for Linux can carry {library} ({reason}): {carriers}."
    yield ""
    yield "| package | licence | brought by |\n|---|---|---|"
    yield from (f"| {package.name} | {package.licence} | {', '.join(package.brought_by)} |" for package in listed)


def _names(listed: Iterable[Package]) -> str:
    return ", ".join(package.name for package in listed) or "none here"


def report(listed: list[Package], target: Path) -> str:
    """Write the page, and return what is to be said; raise where a licence is not compatible."""
    target.write_text("\n".join(page(listed)) + "\n", encoding="utf-8")
    refused = [f"{package.name}: {package.licence}" for package in listed if not package.is_compatible]
    if refused:
        raise LicenceError(
            f"Not known to go with BSD-3-Clause: {'; '.join(refused)}. Look, and do without, or say why."
        )
    return f"{len(listed)} packages, all compatible with BSD-3-Clause: {target}"


def main() -> None:
    """List what is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    target = parser.parse_args().page
    try:
        print(report(packages(pyproject.runtime_requirements(pyproject.read())), target))
    except LicenceError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
