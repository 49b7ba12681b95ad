"""The reference leaves nothing out: every public name has a page, every command its help."""

import importlib.util
import inspect
import re

import pytest
import typer

import labeldist
from labeldist.cli.app import app
from tests.docs.whereabouts import DOCS


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", DOCS / "_extensions" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_room_that_the_package_names_has_a_page(reference):
    named = {name for name in dir(labeldist) if inspect.ismodule(getattr(labeldist, name))}
    assert {room.__name__ for room in reference.public_rooms()} == {f"labeldist.{name}" for name in named}
    assert {"datasets", "enhancement", "learning", "metrics", "exceptions", "simplex"} <= named


def test_the_page_of_a_room_lists_all_that_it_exports(reference):
    for room in reference.public_rooms():
        page = reference.room_page(room)
        listed = re.search(r"\.\. autosummary::\n   :toctree: names\n\n((?:   \S+\n)+)", page)[1].split()
        assert listed == sorted(getattr(room, "__all__", listed))
        assert [name for name in listed if name.startswith("_") or not hasattr(room, name)] == []


def test_a_room_that_exports_nothing_by_name_exports_what_it_defines(reference):
    assert {"normalize", "softmax", "project"} <= set(reference.public_names(labeldist.simplex))
    assert "Path" not in reference.public_names(labeldist.exceptions)


def test_every_export_is_described(reference):
    """A name without a docstring would have an empty page; data cannot have one that Python keeps."""
    for room in reference.public_rooms():
        things = [(name, getattr(room, name)) for name in reference.public_names(room)]
        functions_and_classes = [(name, thing) for name, thing in things if callable(thing)]
        assert [name for name, thing in functions_and_classes if not inspect.getdoc(thing)] == []


def test_every_command_is_told_with_its_options(reference):
    page = reference.command_page()
    for words, command in all_commands(typer.main.get_command(app), ["labeldist"]):
        assert f"# `{' '.join(words)}`" in page
        for option in (name for parameter in command.params for name in parameter.opts if name.startswith("--")):
            assert f"`{option}" in page or f", {option}" in page


def all_commands(command, words):
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from all_commands(inner, [*words, name])


def test_what_scikit_learn_describes_is_left_to_it(reference):
    from labeldist import BDLDL

    assert reference.skip_foreign(None, "class", "get_params", BDLDL.get_params, False, None)
    assert not reference.skip_foreign(None, "class", "predict", BDLDL.predict, False, None)
    assert reference.skip_foreign(None, "class", "predict", BDLDL.predict, True, None)
