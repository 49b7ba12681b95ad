"""What the README promises about the package."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_extra_is_in_the_readme():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in extras if f"pip install '.[{name}]'" not in readme] == []
