"""Download, verification and the data folder."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from labeldist.datasets import DatasetInfo, _fetch
from labeldist.datasets._fetch import fetch
from labeldist.exceptions import LabelDistError, MissingExtraError

OTHER_BYTES = b"these are not the published bytes"
FIRST, SECOND = "/first/Tiny.mat", "/second/Tiny.mat"


def test_data_folder_is_the_argument_the_variable_or_a_default(monkeypatch, tmp_path):
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("LABELDIST_DATA", "from_environment")
    monkeypatch.setenv("LABELDIST_VOTES", "votes")
    one, votes = DatasetInfo.of("Movie"), DatasetInfo.of("FER+")
    assert one.path("~/sets") == tmp_path / "sets" / "Movie.mat"
    assert one.path() == Path("from_environment") / "Movie.mat"
    assert votes.path().parent == Path("votes")
    monkeypatch.delenv("LABELDIST_VOTES")
    assert votes.path().parent == Path("from_environment")
    monkeypatch.delenv("LABELDIST_DATA")
    assert one.path().parent == tmp_path / "labeldist_data"


def test_file_on_disk_is_verified_without_a_download(tiny, tmp_path, server):
    path = tmp_path / "Tiny.mat"
    path.write_bytes(tiny.content)
    assert fetch(tiny.info, tmp_path) == path
    path.write_bytes(OTHER_BYTES)
    with pytest.raises(LabelDistError, match=tiny.info.sha256):
        fetch(tiny.info, tmp_path)
    assert path.read_bytes() == OTHER_BYTES
    assert server.requested == []


def test_missing_file_without_download_raises(tiny, tmp_path, server):
    folder = tmp_path / "new"
    with pytest.raises(LabelDistError, match=f"{server.url}first/Tiny.mat"):
        fetch(tiny.info, folder, download_if_missing=False)
    assert server.requested == []
    assert not folder.exists()


def test_download_happens_once_and_creates_the_folder(tiny, tmp_path, server):
    server.files[FIRST] = tiny.content
    folder = tmp_path / "deep" / "down"
    path = fetch(tiny.info, folder)
    assert fetch(tiny.info, folder) == path == folder / "Tiny.mat"
    assert path.read_bytes() == tiny.content
    assert os.listdir(folder) == ["Tiny.mat"]
    assert server.requested == [FIRST]


def test_terms_are_shown_before_the_download(tiny, tmp_path, server, caplog):
    info = replace(
        tiny.info, kind="votes", terms="Not for sale.", url=f"{server.url}votes/counts.npy"
    )
    with pytest.raises(LabelDistError, match="LABELDIST_VOTES"):
        fetch(info, tmp_path, download_if_missing=False)
    assert not caplog.records
    server.files["/votes/counts.npy"] = tiny.content
    assert fetch(info, tmp_path) == tmp_path / "counts.npy"
    (shown,) = caplog.records  # by default, only warnings
    assert "Not for sale." in shown.getMessage()


@pytest.mark.parametrize("problem", ["missing", "other", "stalled"])
def test_second_source_is_used_if_the_first_fails(problem, tiny, tmp_path, server, monkeypatch):
    monkeypatch.setattr(_fetch, "TIMEOUT", 0.2)
    server.files[SECOND] = tiny.content
    if problem == "other":
        server.files[FIRST] = OTHER_BYTES
    if problem == "stalled":
        server.files[FIRST] = tiny.content
        server.stalled.add(FIRST)
    assert fetch(tiny.info, tmp_path).read_bytes() == tiny.content
    assert server.requested == [FIRST, SECOND]
    assert os.listdir(tmp_path) == ["Tiny.mat"]


def test_failure_of_all_sources_names_them(tiny, tmp_path, server):
    server.files[SECOND] = OTHER_BYTES
    with pytest.raises(LabelDistError, match=r"second/Tiny\.mat"):
        fetch(tiny.info, tmp_path)
    assert os.listdir(tmp_path) == []


def test_download_without_pooch_names_the_extra(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtraError, match=r"labeldist\[app\]"):
        fetch(tiny.info, tmp_path / "new")
    assert not (tmp_path / "new").exists()
