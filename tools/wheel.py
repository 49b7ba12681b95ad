"""Build the wheel and the source archive twice, and show that the bytes are the same: ``python -m tools.wheel dist``.

The second time from a copy whose files are younger and have other permissions, as those of another clone have. So
whoever builds a release again can compare it with what was published.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools.pyproject import ROOT

LEFT_OUT = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "dist")
"""What is no part of a clone, or takes long to copy."""


class WheelError(Exception):
    """Two builds of the same files differ, or a wheel holds other files than it should."""


def build(root: Path, folder: Path) -> list[Path]:
    """Build the wheel and the source archive of the project in `root` into `folder`."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--target", "sdist", "--directory"]
    subprocess.run([*command, str(folder)], cwd=root, check=True, capture_output=True)  # noqa: S603  # our own words
    return sorted(folder.iterdir())


def copy_of(root: Path, folder: Path) -> Path:
    """Copy the project into `folder`; times and permissions become others."""
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), copy_function=shutil.copyfile)
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return folder


def check_same(first: list[Path], second: list[Path]) -> None:
    """Refuse two builds that differ in a name or a byte."""
    for one, other in zip(first, second, strict=True):
        if one.name != other.name or one.read_bytes() != other.read_bytes():
            raise WheelError(f"{one.name} is not the same in two builds of the same files.")


def check_members(wheel: Path, source: Path) -> None:
    """Refuse a wheel that lacks a file of the source, or holds another."""
    files = (path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    expected = {path.relative_to(source).as_posix() for path in files}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    if held != expected:
        lacking, foreign = sorted(expected - held), sorted(held - expected)
        raise WheelError(f"{wheel.name} lacks {lacking} of the source, and holds {foreign} that is not in it.")


def main() -> None:
    """Build, compare, and print the checksums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="an empty one, or none yet")
    folder = parser.parse_args().folder.absolute()
    built = build(ROOT, folder)
    with tempfile.TemporaryDirectory() as elsewhere:
        check_same(built, build(copy_of(ROOT, Path(elsewhere, "copy")), Path(elsewhere, "built")))
    check_members(next(path for path in built if path.suffix == ".whl"), ROOT / "src")
    for path in built:
        print(hashlib.sha256(path.read_bytes()).hexdigest(), path.name)


if __name__ == "__main__":
    main()
