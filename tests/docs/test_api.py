"""The list of public names in docs/api.md."""

import re
from pathlib import Path

import labeldist
from tools.check_docstrings import public_modules, public_names

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def listed_names():
    """Return the names that the page lists, by module."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        section.partition("\n")[0].strip("`"): re.findall(r"^- `(\w+)`", section, flags=re.MULTILINE)
        for section in sections
    }


def test_page_lists_exactly_the_public_names():
    expected = {module.__name__: public_names(module) for module in public_modules()}
    expected["labeldist"] = [name for name in labeldist.__all__ if not name.startswith("_")]
    listed = listed_names()
    assert {name: sorted(names) for name, names in listed.items()} == {
        name: sorted(names) for name, names in expected.items()
    }
