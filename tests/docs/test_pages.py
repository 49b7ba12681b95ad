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
GENERATED = {DOCS / "gallery", DOCS / "reference"}
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if not GENERATED & {*page.parents}]
PAGES += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def find(pattern, path):
    return re.findall(pattern, path.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# `test_add_a_method.py` follows the example of docs/architecture.md.
WITH_EXAMPLES = [page for page in PAGES if find(r"^```(python|console)$", page)]
WITH_EXAMPLES.remove(DOCS / "architecture.md")
MAKE_TARGETS = {*find(r"^([a-z-]+):", ROOT / "Makefile")}


def for_each(pages):
    names = [str(page.relative_to(ROOT)) for page in pages]
    return pytest.mark.parametrize("page", pages, ids=names)


@pytest.mark.slow
@for_each(WITH_EXAMPLES)
def test_examples_run(page):
    names = walk_through(page)
    if page.name == "README.md":
        assert np.allclose(names["recovered"].sum(axis=1), 1)
        assert names["model"].score(names["X_new"], names["D_new"]) == pytest.approx(0.81, abs=0.01)
    if page.name == "learning.md":
        assert list(names["table"].columns) == names["linear"].label_names_
        assert list(names["table"].index) == list(names["items"].index)
    if page.name == "scale.md":
        X, D = names["table"][["a", "b", "c"]], names["table"][["red", "green", "blue"]]
        whole = BDLDL().fit(X, D)
        assert_allclose(names["model"].coef_, whole.coef_, atol=1e-10)
        assert_allclose(names["both"].coef_, whole.coef_, atol=1e-10)


def test_readme_is_short():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 130
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        assert len([line for line in block.splitlines() if line]) <= 10


@for_each(PAGES)
def test_links_to_other_pages_exist(page):
    links = find(r"\]\((?!https?://|(?:../)?gallery/)([^)#]+)", page)
    assert [link for link in links if not (page.parent / link).exists()] == []


@for_each(PAGES)
def test_make_targets_exist(page):
    assert {*find(r"(?:`|^)make ([a-z-]+)", page)} <= MAKE_TARGETS


def test_readme_names_every_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"].keys() <= {
        *find(r"[`\[](\w+)[`\]]", ROOT / "README.md")
    }


def test_hyphens_of_options_are_kept(tmp_path):
    (tmp_path / "index.md").write_text("# A page\n\nKind of --picture.\n", encoding="utf-8")
    action = runpy.run_path(str(DOCS / "conf.py"))["smartquotes_action"]
    settings = ("-C", "-D", "extensions=myst_parser", "-D", f"smartquotes_action={action}")
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", *settings, tmp_path, tmp_path / "built"], check=True
    )
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
