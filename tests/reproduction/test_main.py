"""The command line of the reproduction, in-process."""

import pytest

from reproduction.__main__ import FAILURES, main
from reproduction.runner import read_store
from tests.reproduction.small import HEAD, SMALL

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a spec, its store and its report."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL)
    assert main(["run", *arguments(folder, "out")]) == 0
    return folder


def arguments(folder, out):
    options = {"--store": folder / "s.sqlite", "--out": folder / out, "--jobs": 1}
    return [str(folder / "small.toml"), *(str(part) for item in options.items() for part in item)]


def test_run_writes_report_and_tables(folder):
    names = {path.name for path in (folder / "out").iterdir()}
    assert names == {"report.html", "tables"}
    tables = {path.name for path in (folder / "out" / "tables").iterdir()}
    assert tables == {"small.md", "small.tex", "small.csv"}


def test_second_run_skips_finished_runs(folder, capsys):
    before = read_store(folder / "s.sqlite")
    assert main(["run", *arguments(folder, "again")]) == 0
    assert read_store(folder / "s.sqlite").equals(before)
    assert capsys.readouterr().out == f"{folder / 'again' / 'report.html'}\n"


def test_report_of_store(folder):
    assert main(["report", str(folder / "s.sqlite"), "--out", str(folder / "report")]) == 0
    first, second = (folder / name / "report.html" for name in ("out", "report"))
    assert first.read_bytes() == second.read_bytes()


def test_failures_set_exit_code_and_are_retried(tmp_path, capsys):
    wrong = '{ name = "BD-LDL", use = "BDLDL", parameters = { floor = -1.0 } }'
    part = f'[[part]]\nkind = "prediction"\nfolds = 3\nmethod = [{wrong}]\n'
    (tmp_path / "small.toml").write_text(HEAD + part)
    assert main(["run", *arguments(tmp_path, "out")]) == FAILURES
    assert "3 runs failed" in capsys.readouterr().err
    assert main(["run", "--retry", *arguments(tmp_path, "out")]) == FAILURES
    records = read_store(tmp_path / "s.sqlite")
    assert list(records["status"]) == ["failed"] * 3
    assert "floor" in records["reason"].iloc[0]


@pytest.mark.parametrize(
    "line", [["run", "qiuck"], ["run", "quick", "--dataset", "Yeast"], ["report", "none.db"]]
)
def test_invalid_arguments(line, capsys, tmp_path):
    options = ["--store", str(tmp_path / "s.sqlite")] if line[0] == "run" else []
    assert main([*line, *options, "--out", str(tmp_path)]) == 1
    assert line[-1] in capsys.readouterr().err


def test_run_on_one_data_set_reports_nothing_else(tmp_path):
    store, page = str(tmp_path / "s.sqlite"), tmp_path / "page.md"
    options = ["--dataset", "artificial_60", "--store", store, "--jobs", "1"]
    assert main(["run", "le-recovery", *options, "--out", str(tmp_path)]) == 0
    assert "<dt>missing</dt><dd>0</dd>" in (tmp_path / "report.html").read_text("utf-8")
    blocks = [f"<!-- reproduction: {name} -->\n<!-- end -->\n" for name in ("findings", "claims")]
    page.write_text("".join(blocks))
    assert main(["report", store, "--out", str(tmp_path), "--page", str(page)]) == 0
    assert "- All of this is from 11 runs." in page.read_text("utf-8")
    missing = str(tmp_path / "missing.md")
    assert main(["report", store, "--out", str(tmp_path), "--page", missing]) == 1


def test_zero_jobs(capsys):
    with pytest.raises(SystemExit):
        main(["run", "quick", "--jobs", "0"])
    assert "--jobs: 0 processes" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_unwritable_folder_raises_before_runs(out, tmp_path, capsys):
    (tmp_path / "file").write_text("not a folder")
    store = tmp_path / "s.sqlite"
    assert main(["run", "quick", "--store", str(store), "--out", str(tmp_path / out)]) == 1
    error = capsys.readouterr().err
    assert f"{out}/report.html cannot be written" in error
    assert "file is not a writable folder" in error
    assert not store.exists()
