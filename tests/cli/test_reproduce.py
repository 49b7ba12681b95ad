"""``labeldist reproduce`` and ``labeldist report``, as processes."""

import os

import pytest

from labeldist.experiments.spec import load_spec, runs_of
from labeldist.experiments.store import Store
from tests.cli.processes import interrupt, labeldist


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quick")
    process = labeldist("reproduce", "quick", "--store", folder / "records.sqlite", "--out", folder / "out")
    assert process.returncode == 0, process.stderr
    return folder, process


def test_reproduce_writes_a_report_and_tables_and_says_where(finished):
    folder, process = finished
    page = folder / "out" / "report.html"
    assert process.stdout == f"{page}\n"
    assert process.stderr == ""  # no progress in a pipe
    assert "<html" in page.read_text(encoding="utf-8")
    assert any((folder / "out" / "tables").iterdir())


def test_what_a_store_has_is_not_run_again(finished):
    folder, _ = finished
    with Store(folder / "records.sqlite") as store:
        before = store.records()
    assert (
        labeldist("reproduce", "quick", "--store", folder / "records.sqlite", "--out", folder / "again").returncode == 0
    )
    with Store(folder / "records.sqlite") as store:
        assert store.records().equals(before)


def test_report_makes_it_again_and_compares_stores(finished):
    folder, _ = finished
    other = folder / "other.sqlite"
    other.write_bytes((folder / "records.sqlite").read_bytes())
    findings = folder / "findings.md"
    process = labeldist("report", folder / "records.sqlite", "--out", folder / "one", "--findings", findings)
    assert process.stdout.splitlines() == [str(folder / "one" / "report.html"), str(findings)]
    assert findings.read_text(encoding="utf-8").startswith("# What the reproduction found")
    process = labeldist("report", folder / "records.sqlite", other, "--out", folder / "two")
    assert process.returncode == 0, process.stderr
    assert "other.sqlite" in (folder / "two" / "report.html").read_text(encoding="utf-8")


def test_a_spec_can_be_copied_changed_and_run(tmp_path):
    process = labeldist("reproduce", "parameters", "--show-spec")
    assert process.returncode == 0
    text = process.stdout.replace('["Yeast_cold"]', '["artificial_30"]').replace('"parameters"', '"mine"')
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    options = ("--store", tmp_path / "mine.sqlite", "--out", tmp_path / "out", "--jobs", "1")
    process = labeldist("reproduce", tmp_path / "mine.toml", *options)
    assert process.returncode == 0, process.stderr
    with Store(tmp_path / "mine.sqlite") as store:
        assert set(store.records()["experiment"]) == {"mine"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["reproduce", "qiuck"], 1, "Did you mean quick"),
        (["reproduce", "quick", "--dataset", "Yeast"], 1, "no set 'Yeast'"),
        (["reproduce", "none.toml"], 1, "cannot be read"),
        (["reproduce", "--jobs", "many"], 2, "Invalid value for '--jobs'"),
        (["report", "none.sqlite"], 1, "There is no store none.sqlite"),
        (["report"], 2, "Missing argument"),
        (["reproduce", "--show-spec"], 2, "takes the name of one experiment"),
        (["reproduce", "--jobs", "0"], 2, "at least one process"),
        (["reproduce", "quick", "--out", os.devnull], 1, "is no folder"),
        (["reproduce", "quick", "--store", os.devnull + "/s.sqlite"], 1, "cannot be used as a store"),
        (["enhanse"], 2, "No such command"),
    ],
)
def test_mistakes_have_a_message_and_a_code(tmp_path, arguments, code, message):
    process = labeldist(*arguments, cwd=tmp_path)
    assert process.returncode == code
    assert message in " ".join(process.stderr.split())
    assert "Traceback" not in process.stderr
    assert not list(tmp_path.iterdir())  # nothing half made


def test_failures_are_told_with_a_code_of_their_own(tmp_path):
    spec = tmp_path / "mine.toml"
    text = labeldist("reproduce", "quick", "--show-spec").stdout.replace('"quick"', '"mine"')
    spec.write_text(text.replace('title = "', 'time_limit = 1e-9\ntitle = "'), encoding="utf-8")
    options = ("--store", tmp_path / "s.sqlite", "--out", tmp_path / "out", "--jobs", "1")
    process = labeldist("reproduce", spec, *options)
    assert process.returncode == 3
    assert "--retry tries them again" in process.stderr
    assert (tmp_path / "out" / "report.html").exists()
    spec.write_text(text, encoding="utf-8")
    assert labeldist("reproduce", spec, "--retry", *options).returncode == 0


def test_an_interrupt_ends_it_and_the_next_call_goes_on(tmp_path):
    arguments = ["reproduce", "quick", "--store", tmp_path / "s.sqlite", "--out", tmp_path / "out", "--jobs", "1"]
    process = interrupt(*arguments, when=lambda _: (tmp_path / "s.sqlite").exists())
    assert process.returncode == 130
    assert "interrupted" in process.stderr
    assert not (tmp_path / "out").exists()
    assert labeldist(*arguments).returncode == 0
    with Store(tmp_path / "s.sqlite") as store:
        assert len(store.finished()) == len(list(runs_of(load_spec("quick"))))
