"""The command line of the reproduction, in-process."""

import pytest

from reproduction.__main__ import FAILURES, main
from reproduction.store import Store, read_store
from tests.reproduction.small import SMALL

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a spec, its store and its report."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    assert main(["run", *arguments(folder, "out")]) == 0
    return folder


def arguments(folder, out):
    return [str(folder / "small.toml"), "--store", str(folder / "s.sqlite"), "--out", str(folder / out), "--jobs", "1"]


def test_run_writes_report_findings_and_tables(folder):
    assert {path.name for path in (folder / "out").iterdir()} == {"report.html", "findings.md", "tables", "pages"}
    assert {path.name for path in (folder / "out" / "tables").iterdir()} == {"small.md", "small.tex", "small.csv"}


def test_second_run_skips_finished_runs(folder, capsys):
    before = read_store(folder / "s.sqlite")
    assert main(["run", *arguments(folder, "again")]) == 0
    assert read_store(folder / "s.sqlite").equals(before)
    assert capsys.readouterr().out == f"{folder / 'again' / 'report.html'}\n"


def test_report_of_store(folder):
    assert main(["report", str(folder / "s.sqlite"), "--out", str(folder / "report")]) == 0
    first, second = ((folder / name / "report.html").read_text("utf-8") for name in ("out", "report"))
    assert first == second


def test_failures_set_exit_code_and_are_retried(tmp_path, capsys):
    spec = tmp_path / "mine.toml"
    spec.write_text(SMALL.replace('use = "BDLDL"\n', 'use = "BDLDL"\nparameters = { floor = -1.0 }\n', 1))
    options = ["--store", str(tmp_path / "mine.sqlite"), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert main(["run", str(spec), *options]) == FAILURES
    assert "floor" in capsys.readouterr().err
    assert main(["run", str(spec), "--retry", *options]) == FAILURES
    with Store(tmp_path / "mine.sqlite") as store:
        assert (store.records()["status"] == "failed").sum() == 3


@pytest.mark.parametrize("line", [["run", "qiuck"], ["run", "quick", "--dataset", "Yeast"], ["report", "none.db"]])
def test_invalid_arguments(line, capsys, tmp_path):
    options = ["--store", str(tmp_path / "s.sqlite")] if line[0] == "run" else []
    assert main([*line, *options, "--out", str(tmp_path)]) == 1
    assert line[-1] in capsys.readouterr().err
