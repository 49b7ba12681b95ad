"""What is not installed is asked for by name."""

import sys

import pytest

from labeldist._extras import require
from labeldist.exceptions import MissingExtraError


def test_what_is_there_is_imported():
    assert require("json.decoder", "tables").JSONDecoder


def test_what_is_missing_is_named_with_its_extra():
    with pytest.raises(MissingExtraError, match=r"needs not_there, .* pip install 'labeldist\[tables\]'"):
        require("not_there.parquet", "tables")


def test_what_a_package_itself_lacks_is_not_our_extra(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="not_there") as caught:
        require("half_there", "tables")
    assert not isinstance(caught.value, MissingExtraError)
