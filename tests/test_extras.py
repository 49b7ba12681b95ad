import sys

import pytest

from labeldist._extras import require
from labeldist.exceptions import MissingExtraError


def test_installed_packages_are_imported():
    assert require("json.decoder", "tables").JSONDecoder


def test_missing_packages_are_named_with_their_extra():
    with pytest.raises(MissingExtraError, match=r"not_there.*labeldist\[tables\]"):
        require("not_there.parquet", "tables")


def test_missing_dependencies_of_a_package_are_not_our_extra(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="not_there") as caught:
        require("half_there", "tables")
    assert not isinstance(caught.value, MissingExtraError)
