"""Whoever uses labeldist is bound by no more than its own licence binds."""

import re
import sys
from email.message import Message
from importlib.metadata import files, version
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from tools import pyproject
from tools.licences import IN_THE_FILE_ONLY, UNKNOWN, LicenceError, Package, brought, licence_of, packages, page, report


@pytest.fixture(scope="module")
def listed():
    return packages(pyproject.runtime_requirements(pyproject.read()))


def test_everything_that_the_core_and_the_extras_bring_is_compatible(listed):
    assert [package for package in listed if not package.is_compatible] == []
    assert not any("GPL" in package.licence for package in listed)


def test_dependencies_of_dependencies_are_listed_with_who_brings_them(listed):
    by_name = {package.name: package for package in listed}
    assert by_name["joblib"].brought_by[0] == "core"  # by scikit-learn
    assert by_name["contourpy"].brought_by == ("app",)  # by matplotlib
    assert "fsspec" in by_name  # by dask, of which extras are asked for
    assert "pytest" not in by_name
    assert "libgomp" in by_name["scikit-learn"].carries


@pytest.mark.parametrize(
    ("licence", "compatible"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND Zlib", True),
        ("MPL-2.0 AND MIT", True),
        ("GPL-2.0-only OR MIT", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND LGPL-2.1-only", False),
        ("Of my own making", False),
        (UNKNOWN, False),
    ],
)
def test_licences_are_judged_by_what_is_accepted(licence, compatible):
    assert Package("one", licence, ("core",)).is_compatible is compatible


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ({"License-Expression": "Apache-2.0 OR BSD-2-Clause", "License": "mine"}, "Apache-2.0 OR BSD-2-Clause"),
        ({"License": "Copyright 2001\nAll of it", "Classifier": "License :: OSI Approved :: BSD License"}, "BSD"),
        ({"License": "BSD-3-Clause", "Classifier": "License :: OSI Approved :: BSD License"}, "BSD-3-Clause"),
        ({"License": "Anyone may\nread it"}, "Anyone may"),
        ({"Classifier": "License :: OSI Approved"}, UNKNOWN),
    ],
)
def test_the_most_exact_statement_of_a_package_counts(metadata, licence):
    message = Message()
    message["Name"] = "one"
    for key, value in metadata.items():
        message[key] = value
    assert licence_of(SimpleNamespace(metadata=message)) == licence


def test_what_only_a_file_says_it_does_say():
    for name, licence in IN_THE_FILE_ONLY.items():
        (file,) = [file for file in files(name) if file.name == "LICENSE"]
        assert file.read_text().startswith(f"{licence} License")


def test_what_is_not_installed_cannot_be_listed():
    with pytest.raises(LicenceError, match="no-such-package is not installed: install all extras first"):
        brought([Requirement("no-such-package>=1")])


def test_the_page_in_the_documentation_is_up_to_date(listed, tmp_path):
    for line in (pyproject.ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, _, pinned = line.partition("==")
        if name in {package.name for package in listed} and version(name) != pinned:
            pytest.skip(f"{name} is not as in constraints.txt, so the list may be another")
    written, published = tmp_path / "licences.md", pyproject.ROOT / "docs" / "licences.md"
    assert report(listed, written).startswith(f"{len(listed)} packages, all compatible")
    if sys.version_info[:2] > (3, 11):  # which some packages need less for; the page is of the oldest Python
        assert {package.name for package in listed} <= set(re.findall(r"^\| ([\w.-]+) ", published.read_text(), re.M))
    else:
        assert written.read_text(encoding="utf-8") == published.read_text(encoding="utf-8")


def test_a_licence_that_is_not_accepted_is_told(listed, tmp_path):
    copyleft = Package("quadprog", "GPL-2.0-or-later", ("solvers",))
    with pytest.raises(LicenceError, match=r"^Not known to go with BSD-3-Clause: quadprog: GPL-2.0-or-later\. "):
        report([*listed, copyleft], tmp_path / "licences.md")


def test_the_page_says_who_carries_what():
    lines = list(page([Package("numpy", "BSD-3-Clause", ("core",), ("libgfortran",))]))
    assert any(
        line.startswith("- Wheels for Linux can carry libgfortran") and line.endswith(": numpy.") for line in lines
    )
    assert any("libgomp" in line and line.endswith(": none here.") for line in lines)
    assert lines[-1] == "| numpy | BSD-3-Clause | core |"
