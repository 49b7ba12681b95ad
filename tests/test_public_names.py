"""The public names: no private class appears in their signatures."""

import inspect
import re
import sys
from pydoc import locate

import pytest

from tools.check_docstrings import public_modules, public_names


def public_classes():
    things = [getattr(module, name) for module in public_modules() for name in public_names(module)]
    return {thing for thing in things if inspect.isclass(thing)}


def signatures():
    """Yield the public functions and methods, and the classes that state their fields."""
    for module in public_modules():
        for name in public_names(module):
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield f"{module.__name__}.{name}", thing
            elif inspect.isclass(thing):
                yield f"{module.__name__}.{name}", thing
                for method, function in inspect.getmembers(thing, inspect.isfunction):
                    if method == "__init__" or method[0] != "_":
                        yield f"{module.__name__}.{name}.{method}", function


def named_classes(thing):
    """Return the classes of the library that the annotations of a function or a class name."""
    known = vars(sys.modules[thing.__module__])
    annotations = inspect.get_annotations(thing)
    public = [text for name, text in annotations.items() if name[0] != "_"]
    found = [known.get(word) for text in public for word in re.findall(r"\w+", str(text))]
    return {one for one in found if inspect.isclass(one) and "labeldist" in one.__module__}


def is_known(one):
    """Return whether users know a class: it is public, a base of public ones, or a protocol."""
    return getattr(one, "_is_protocol", False) or any(issubclass(p, one) for p in PUBLIC)


PUBLIC = public_classes()
SIGNATURES = dict(signatures())


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_name_no_private_class(name):
    assert [one for one in named_classes(SIGNATURES[name]) if not is_known(one)] == []


def entries_of_see_also(thing):
    """Yield the names under See Also in the docstring of a class or function."""
    section = re.search(r"See Also\n-+\n(.*?)(?:\n\n|\Z)", inspect.getdoc(thing) or "", re.DOTALL)
    lines = section[1].split("\n") if section else []
    for line in lines:
        if not line.startswith(" "):
            yield from line.partition(" : ")[0].split(", ")


@pytest.mark.parametrize("module", public_modules(), ids=lambda module: module.__name__)
def test_entries_of_see_also_are_found(module):
    things = [getattr(module, name) for name in public_names(module)]
    documented = [thing for thing in things if inspect.isclass(thing) or inspect.isfunction(thing)]
    entries = [entry for thing in documented for entry in entries_of_see_also(thing)]
    full = module.__name__
    assert [one for one in entries if not (locate(one) or locate(f"{full}.{one}"))] == []
