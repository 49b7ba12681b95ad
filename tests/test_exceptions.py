"""Exceptions, and the error for a missing extra."""

import inspect
import sys

import pytest

from labeldist import exceptions
from labeldist._extras import require
from labeldist.exceptions import (
    LabelDistError,
    LabelDistWarning,
    MissingExtraError,
)

CLASSES = [
    c
    for _, c in inspect.getmembers(exceptions, inspect.isclass)
    if c.__module__ == exceptions.__name__
]


def test_all_classes_are_public_and_have_a_common_base():
    assert sorted(c.__name__ for c in CLASSES) == exceptions.__all__
    assert all(issubclass(c, LabelDistError | LabelDistWarning) for c in CLASSES)


def test_missing_packages_are_named_with_their_extra():
    with pytest.raises(MissingExtraError, match=r"not_there.*labeldist\[tables\]"):
        require("not_there.parquet", "tables")


def test_missing_dependencies_of_a_package_are_not_our_extra(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="not_there") as caught:
        require("half_there", "tables")
    assert not isinstance(caught.value, MissingExtraError)
