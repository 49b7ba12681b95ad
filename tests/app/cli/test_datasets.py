"""``labeldist datasets``."""

import pytest

from labeldist.datasets import DatasetInfo, list_datasets
from tests.app.cli.in_process import error_of, run, run_json


def test_list_has_sizes(tmp_path):
    (tmp_path / "Movie.mat").touch()
    facts = run_json("datasets", "list", "--folder", tmp_path)["datasets"]
    rows = {row["name"]: row for row in facts}
    assert list(rows) == [*list_datasets(), *list_datasets("additional"), *list_datasets("votes")]
    size = {"items": 7755, "features": 1869, "labels": 5, "folder": str(tmp_path)}
    assert rows["Movie"] == {"name": "Movie", "kind": "benchmark", **size, "here": True}
    assert not rows["SBU_3DFE"]["here"]


def test_list_finds_votes_in_their_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELDIST_VOTES", str(tmp_path))
    (tmp_path / "fer2013new.csv").touch()
    facts = run_json("datasets", "list")
    votes = [row for row in facts["datasets"] if row["kind"] == "votes"]
    assert [row["name"] for row in votes if row["here"]] == ["FER+"]
    assert {row["folder"] for row in votes} == {str(tmp_path)}


def test_info_has_size_citation_and_terms():
    assert "References" in run("datasets", "info", "SBU_3DFE").stdout
    facts = run_json("datasets", "info", "CIFAR-10H")
    assert facts["labels"] == 10
    assert facts["citation"]
    assert "CC BY-NC-SA 4.0" in facts["terms"]


def test_fetch_verifies_files_on_disk(benchmark_folder, tmp_path):
    path = benchmark_folder / "Yeast_cold.mat"
    fetched = run("datasets", "fetch", "Yeast_cold", "--folder", benchmark_folder)
    assert fetched.stdout == f"{path}\n"
    (tmp_path / "Yeast_cold.mat").write_bytes(b"MATLAB")
    assert "Yeast_cold.mat" in error_of("datasets", "fetch", "Yeast_cold", "--folder", tmp_path)


def test_fetch_without_names_means_the_benchmark_sets(monkeypatch, tmp_path):
    monkeypatch.setattr(
        DatasetInfo, "fetch", lambda info, data_home: data_home / f"{info.name}.mat"
    )
    files = run_json("datasets", "fetch", "--folder", tmp_path)["files"]
    assert files == [str(tmp_path / f"{name}.mat") for name in list_datasets()]


@pytest.mark.parametrize("command", ["info", "fetch"])
def test_unknown_names(command):
    assert "Did you mean Yeast_cold?" in error_of("datasets", command, "Yeast_clod")
