import hashlib
import logging
import os
import socket
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from labeldist.datasets import _registry as registry
from labeldist.datasets._fetch import data_folder, locate
from labeldist.exceptions import ChecksumError, DatasetNotFoundError

OTHER_BYTES = b"these are not the published bytes"


def blob_id(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()


def test_blob_id_is_gits():
    assert blob_id(b"hello world\n") == "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"  # by git hash-object


class TestDataFolder:
    def test_argument_comes_first(self, monkeypatch):
        monkeypatch.setenv("LABELDIST_DATA", "from_environment")
        assert data_folder("given") == Path("given")
        assert data_folder(Path("given")) == Path("given")

    def test_then_the_environment(self, monkeypatch):
        monkeypatch.setenv("LABELDIST_DATA", "from_environment")
        assert data_folder() == Path("from_environment")

    @pytest.mark.parametrize("variable", [None, ""])
    def test_then_a_folder_at_home(self, variable, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        if variable is None:
            monkeypatch.delenv("LABELDIST_DATA", raising=False)
        else:
            monkeypatch.setenv("LABELDIST_DATA", variable)
        assert data_folder() == tmp_path / "labeldist_data"

    def test_tilde_is_the_home_folder(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
        assert data_folder("~/sets") == tmp_path / "sets"


class TestFileOnDisk:
    def test_right_bytes_are_found_without_a_download(self, tiny, tmp_path, server, sources):
        path = tmp_path / "Tiny.mat"
        path.write_bytes(tiny.content)
        assert locate(tiny.info, tmp_path) == path
        assert server.asked == []

    def test_environment_names_the_folder(self, tiny, tmp_path, monkeypatch):
        monkeypatch.setenv("LABELDIST_DATA", str(tmp_path))
        (tmp_path / "Tiny.mat").write_bytes(tiny.content)
        assert locate(tiny.info) == tmp_path / "Tiny.mat"

    def test_wrong_bytes_are_an_error_that_names_both_checksums(self, tiny, tmp_path, server, sources):
        path = tmp_path / "Tiny.mat"
        path.write_bytes(OTHER_BYTES)
        with pytest.raises(ChecksumError, match="Delete it, so that it is downloaded anew") as caught:
            locate(tiny.info, tmp_path)
        for part in (str(path), tiny.info.sha256, hashlib.sha256(OTHER_BYTES).hexdigest()):
            assert part in str(caught.value)
        assert path.read_bytes() == OTHER_BYTES
        assert server.asked == []

    def test_git_blob_is_as_good_as_sha256(self, tiny, tmp_path):
        info = replace(tiny.info, sha256="0" * 64, git_blob=blob_id(tiny.content))
        (tmp_path / "Tiny.mat").write_bytes(tiny.content)
        assert locate(info, tmp_path) == tmp_path / "Tiny.mat"

    def test_sha256_is_enough_where_there_is_a_git_blob(self, tiny, tmp_path):
        (tmp_path / "Tiny.mat").write_bytes(tiny.content)
        assert locate(replace(tiny.info, git_blob="0" * 40), tmp_path) == tmp_path / "Tiny.mat"

    def test_neither_checksum_right_names_all_four(self, tiny, tmp_path):
        info = replace(tiny.info, git_blob=blob_id(tiny.content))
        (tmp_path / "Tiny.mat").write_bytes(OTHER_BYTES)
        with pytest.raises(ChecksumError) as caught:
            locate(info, tmp_path)
        sha256 = hashlib.sha256(OTHER_BYTES).hexdigest()
        for part in (info.sha256, info.git_blob, sha256, blob_id(OTHER_BYTES)):
            assert part in str(caught.value)

    def test_a_folder_in_the_files_place(self, tiny, tmp_path):
        (tmp_path / "Tiny.mat").mkdir()
        with pytest.raises(DatasetNotFoundError, match=r"Tiny\.mat cannot be read.*LABELDIST_DATA"):
            locate(tiny.info, tmp_path)

    def test_missing_without_download(self, tiny, tmp_path, server, sources):
        folder = tmp_path / "not_made"
        with pytest.raises(DatasetNotFoundError, match="LABELDIST_DATA or pass data_home") as caught:
            locate(tiny.info, folder, download_if_missing=False)
        for part in (str(folder), f"{sources[0]}Tiny.mat", "download_if_missing=True"):
            assert part in str(caught.value)
        assert server.asked == []
        assert not folder.exists()


class TestDownload:
    def test_file_is_put_into_a_folder_made_for_it(self, tiny, tmp_path, server, sources, caplog):
        server.answers["/first/Tiny.mat"] = tiny.content
        folder = tmp_path / "deep" / "down"
        with caplog.at_level(logging.INFO, logger="labeldist"):
            path = locate(tiny.info, folder)
        assert path == folder / "Tiny.mat"
        assert path.read_bytes() == tiny.content
        assert os.listdir(folder) == ["Tiny.mat"]
        assert server.asked == ["/first/Tiny.mat"]
        messages = [record.getMessage() for record in caplog.records if record.name == "labeldist"]
        assert messages == [f"Downloading {sources[0]}Tiny.mat to {folder}"]

    def test_happens_once(self, tiny, tmp_path, server, sources):
        server.answers["/first/Tiny.mat"] = tiny.content
        assert locate(tiny.info, tmp_path) == locate(tiny.info, tmp_path)
        assert len(server.asked) == 1

    @pytest.mark.skipif(os.name != "posix", reason="permissions of this kind are POSIX's")
    def test_file_has_the_users_usual_permissions(self, tiny, tmp_path, server, sources):
        server.answers["/first/Tiny.mat"] = tiny.content
        (tmp_path / "usual").touch()
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (locate(tiny.info, tmp_path), tmp_path / "usual")]
        assert modes[0] == modes[1]

    def test_second_source_answers_for_the_first(self, tiny, tmp_path, server, sources):
        server.answers["/second/Tiny.mat"] = tiny.content
        assert locate(tiny.info, tmp_path).read_bytes() == tiny.content
        assert server.asked == ["/first/Tiny.mat", "/second/Tiny.mat"]
        assert os.listdir(tmp_path) == ["Tiny.mat"]

    def test_second_source_answers_for_wrong_bytes_of_the_first(self, tiny, tmp_path, server, sources):
        server.answers |= {"/first/Tiny.mat": OTHER_BYTES, "/second/Tiny.mat": tiny.content}
        assert locate(tiny.info, tmp_path).read_bytes() == tiny.content

    def test_git_blob_verifies_a_download(self, tiny, tmp_path, server, sources):
        info = replace(tiny.info, sha256="0" * 64, git_blob=blob_id(tiny.content))
        server.answers["/first/Tiny.mat"] = tiny.content
        assert locate(info, tmp_path).read_bytes() == tiny.content

    def test_wrong_bytes_leave_nothing_behind(self, tiny, tmp_path, server, sources):
        server.answers |= {"/first/Tiny.mat": OTHER_BYTES, "/second/Tiny.mat": b""}
        with pytest.raises(DatasetNotFoundError) as caught:
            locate(tiny.info, tmp_path)
        for part in (tiny.info.sha256, hashlib.sha256(OTHER_BYTES).hexdigest(), hashlib.sha256().hexdigest()):
            assert part in str(caught.value)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("kept", [0, 100])
    def test_truncated_transfer_leaves_nothing_behind(self, kept, tiny, tmp_path, server, sources):
        server.answers["/first/Tiny.mat"] = tiny.content[:kept]
        server.truncated.add("/first/Tiny.mat")
        with pytest.raises(DatasetNotFoundError, match=r"first/Tiny\.mat: "):
            locate(tiny.info, tmp_path)
        assert os.listdir(tmp_path) == []

    def test_all_sources_failing_names_each_and_what_to_do(self, tiny, tmp_path, server, sources):
        with pytest.raises(DatasetNotFoundError, match="LABELDIST_DATA or pass data_home") as caught:
            locate(tiny.info, tmp_path)
        message = str(caught.value)
        assert message.count("404 Client Error") == 2
        for part in (*(f"{source}Tiny.mat: " for source in sources), str(tmp_path), "by hand"):
            assert part in message
        assert os.listdir(tmp_path) == []

    def test_nobody_listening(self, tiny, tmp_path, server, monkeypatch):
        with socket.socket() as unused:
            # Bound but not listening: no other process can take the port meanwhile.
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
            monkeypatch.setattr(registry, "SOURCES", (url,))
            with pytest.raises(DatasetNotFoundError, match=f"{url}Tiny.mat: .*refused"):
                locate(tiny.info, tmp_path)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("below", ["", "further/down"])
    def test_folder_that_cannot_be_made(self, below, tiny, tmp_path, server, sources):
        # The tests may run as root, whom no permission stops; a folder inside a file stops everyone.
        (tmp_path / "file").touch()
        folder = tmp_path / "file" / below
        with pytest.raises(DatasetNotFoundError, match="cannot be created or written") as caught:
            locate(tiny.info, folder)
        for part in (str(folder), "Make it writable", "LABELDIST_DATA or pass data_home"):
            assert part in str(caught.value)
        assert server.asked == []

    def test_without_pooch(self, tiny, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "pooch", None)
        folder = tmp_path / "not_made"
        with pytest.raises(DatasetNotFoundError, match=r"pip install 'labeldist\[app\]'") as caught:
            locate(tiny.info, folder)
        assert f"put {registry.SOURCES[0]}Tiny.mat into {folder} by hand" in str(caught.value)
        assert not folder.exists()
