"""``labeldist datasets``."""

import pytest

from labeldist.datasets import list_datasets
from tests.cli.in_process import run, run_json


def test_sets_are_listed_with_their_sizes(tmp_path):
    (tmp_path / "Movie.mat").touch()
    text = run("datasets", "list", "--folder", tmp_path).stdout
    rows = {row["name"]: row for row in run_json("datasets", "list", "--folder", tmp_path)["datasets"]}
    assert list(rows) == list_datasets()
    assert rows["Movie"] == {"name": "Movie", "items": 7755, "features": 1869, "labels": 5, "here": True}
    assert not rows["SBU_3DFE"]["here"]
    assert text.splitlines()[1].split() == ["Yeast_alpha", "2465", "24", "18", "no"]


def test_a_set_is_described_with_what_to_cite():
    assert "References" in run("datasets", "info", "SBU_3DFE").stdout
    facts = run_json("datasets", "info", "SBU_3DFE")
    assert facts["items"] == 2500
    assert facts["citation"]


def test_what_is_here_is_verified(benchmark_folder):
    path = benchmark_folder / "Yeast_cold.mat"
    assert run("datasets", "fetch", "Yeast_cold", "--folder", benchmark_folder).stdout == f"{path}\n"
    assert run_json("datasets", "fetch", "Yeast_cold", "--folder", benchmark_folder)["files"] == [str(path)]


@pytest.mark.parametrize("command", ["info", "fetch"])
def test_a_name_that_there_is_not(command):
    result = run("datasets", command, "Yeast_clod", fails=True)
    assert result.exit_code == 1
    assert "Did you mean Yeast_cold?" in result.stderr


def test_a_damaged_file_is_told(tmp_path):
    (tmp_path / "Yeast_cold.mat").write_bytes(b"MATLAB")
    result = run("datasets", "fetch", "Yeast_cold", "--folder", tmp_path, fails=True)
    assert result.exit_code == 1
    assert "Yeast_cold.mat" in result.stderr
