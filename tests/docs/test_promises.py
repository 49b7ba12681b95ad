"""A promise names what holds it: the tests and the commands that the pages name are there."""

import re
from functools import cache

import pytest

from tests.docs.whereabouts import DOCS, PAGES, ROOT

PROMISES = [DOCS / "trust.md", DOCS / "security.md"]


NAMED = re.compile(r"`(?:(tests/[\w/]+\.py)(?:::)?)?((?:\w+::)?test_\w+)?`")
"""A file of tests, a function, or both."""


@cache
def functions_in(path):
    return set(re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8")))


@cache
def all_functions():
    return set().union(*map(functions_in, (ROOT / "tests").rglob("test_*.py")))


@pytest.mark.parametrize("page", PROMISES, ids=lambda page: page.name)
def test_every_test_that_is_named_exists(page):
    named = NAMED.findall(page.read_text(encoding="utf-8"))
    assert len(named) > 10
    for file, function in named:
        functions = functions_in(ROOT / file) if file else all_functions()
        assert function.rpartition("::")[2] in {"", *functions}, (file, function)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_make_that_is_named_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    commands = set(re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8")))
    assert commands <= targets


@pytest.mark.parametrize("page", PROMISES, ids=lambda page: page.name)
def test_no_figure_is_missing(page):
    assert not re.findall(r"@[A-Z]+@", page.read_text(encoding="utf-8"))
