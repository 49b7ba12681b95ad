"""The example of docs/architecture.md, followed word for word in a copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("src", "tests", "tools", "docs", "reproduction", "pyproject.toml")
PYTEST = ("pytest", "-q", "-p", "no:cacheprovider")


@pytest.fixture
def copy(tmp_path):
    """Return a function that runs a module of Python in a copy of the repository."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    paths = os.pathsep.join([str(tmp_path / "src"), str(tmp_path)])

    def run(*arguments):
        process = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
        )
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    return tmp_path, run


def insert(path, before, text):
    content = path.read_text(encoding="utf-8")
    assert before in content
    path.write_text(content.replace(before, text + before, 1), encoding="utf-8")


@pytest.mark.slow
def test_example_is_complete(copy):
    folder, run = copy
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("## Add a method")[2]
    blocks = re.findall(r"```(?:python|text)\n(.*?)```", section, flags=re.DOTALL)
    module, line, row, tests, comparison = blocks
    published = folder / "src" / "labeldist" / "published"
    (published / "centroid_mean.py").write_text(module, encoding="utf-8")
    insert(published / "__init__.py", "\n__all__ = [\n", line)
    insert(published / "__init__.py", '    "AABP",\n', '    "CentroidMean",\n')
    insert(published / "methods.toml", '[[method]]\nname = "PL-LE"', f"{row}\n")
    test_module = folder / "tests" / "published" / "test_centroid_mean.py"
    test_module.write_text(tests, encoding="utf-8")
    run("ruff", "check", "--fix", "--select", "I,RUF022", "src")
    run("tools.generate_pages")
    run(*PYTEST, "tests/published/test_centroid_mean.py", "tests/published/test_methods.py")
    run(*PYTEST, "tests/test_estimators.py", "-k", "CentroidMean")
    run(*PYTEST, "tests/docs/test_generated_pages.py")
    run("ruff", "check", "src", str(test_module))
    run("ruff", "format", "--check", "src", str(test_module))
    run("tools.check_docstrings")
    assert "centroidmean" in run("labeldist", "fit", "--help")
    script = folder / "compare.py"
    script.write_text(comparison, encoding="utf-8")
    assert "CentroidMean 0." in run("compare")
