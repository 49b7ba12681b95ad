"""Hints on the installation of optional dependencies."""

from pathlib import Path

import pytest

import labeldist
from labeldist._extras import require
from labeldist.exceptions import MissingExtraError


def test_missing_packages_can_be_installed_from_a_clone():
    with pytest.raises(MissingExtraError, match=r"'\.\[app\]'.*'labeldist\[app\]'"):
        require("not_there", "app")


def test_only_one_function_tells_how_to_install():
    folder = Path(labeldist.__file__).parent
    hints = [path.name for path in folder.rglob("*.py") if "pip install" in path.read_text("utf-8")]
    assert hints == ["_extras.py"]
