"""The pages of the documentation: examples, links and commands."""

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL
from tests.docs.walkthrough import WrongExampleError, walk_through

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in ("gallery", "reference")),
]


def has_examples(page):
    return re.search(r"^```(python|console)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if has_examples(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_examples_run(page):
    names = walk_through(page)
    if page.name == "README.md":
        assert np.allclose(names["recovered"].sum(axis=1), 1)
        assert names["kernel"].score(names["X"], names["D"]) > 0.999
    if page.name == "scale.md":
        X, D = names["table"][["a", "b", "c"]], names["table"][["red", "green", "blue"]]
        whole = BDLDL().fit(X, D)
        assert_allclose(names["model"].coef_, whole.coef_, atol=1e-10)
        assert_allclose(names["both"].coef_, whole.coef_, atol=1e-10)


def test_links_between_pages_exist():
    for page in PAGES:
        links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8"))
        missing = [link for link in links if not (page.parent / link).exists() and "gallery/" not in link]
        assert missing == [], page


def test_modules_of_the_commands_exist():
    named = re.findall(r"`(cli/\w+\.py)`", (DOCS / "architecture.md").read_text(encoding="utf-8"))
    assert named
    assert all((ROOT / "src" / "labeldist" / name).exists() for name in named)


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for page in PAGES:
        named = re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert set(named) <= targets, page


def test_readme_names_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in extras if f"`{name}`" not in readme and f"[{name}]" not in readme] == []


def test_long_lines_of_the_gallery_wrap():
    css = (DOCS / "_static" / "site.css").read_text(encoding="utf-8")
    assert re.search(r"\.highlight-Python pre[^}]*white-space: pre-wrap", css)


def test_hyphens_of_options_are_kept(tmp_path):
    (tmp_path / "index.md").write_text("# A page\n\nKind of --picture.\n", encoding="utf-8")
    action = runpy.run_path(str(DOCS / "conf.py"))["smartquotes_action"]
    settings = ("-C", "-D", "extensions=myst_parser", "-D", f"smartquotes_action={action}")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", *settings, tmp_path, tmp_path / "built"], check=True)
    assert "Kind of --picture." in (tmp_path / "built" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "example",
    [
        "```console\n$ labeldist enhance nowhere.csv --labels a\n```",
        "```console\n$ labeldist --version\nlabeldist 0.0.0\n```",
        "```python\n>>> 1 + 1\n3\n```",
    ],
)
def test_wrong_examples_are_detected(tmp_path, example):
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{example}\n", encoding="utf-8")
    with pytest.raises(WrongExampleError):
        walk_through(page)
