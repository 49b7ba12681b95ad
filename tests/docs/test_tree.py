"""The tree of docs/architecture.md."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "labeldist"


def test_tree_names_every_module_and_package_of_the_library():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tree = page.split("```")[1].split("reproduction/")[0]
    named = set(re.findall(r"^ {2}(\w+)(?:/|\.py)", tree, flags=re.MULTILINE))
    named |= set(re.findall(r"(\w+)\.py", tree))
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py"}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert named == (modules | packages) - {"__main__"}
