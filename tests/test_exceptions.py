"""Exceptions, and the error for a missing extra."""

import inspect
import pickle
import sys

import pytest

from labeldist import exceptions
from labeldist._extras import require
from labeldist.exceptions import (
    Hint,
    LabelDistError,
    LabelDistWarning,
    LabelWarning,
    MissingExtraError,
    OutputError,
    TableError,
)

CLASSES = [
    c
    for _, c in inspect.getmembers(exceptions, inspect.isclass)
    if c.__module__ == exceptions.__name__ and not c.__name__.startswith("_")
]


def test_all_classes_are_public_and_have_a_common_base():
    assert sorted(c.__name__ for c in CLASSES) == exceptions.__all__
    assert all(issubclass(c, LabelDistError | LabelDistWarning | Hint) for c in CLASSES)


@pytest.mark.parametrize("kind", [TableError, OutputError, MissingExtraError, LabelWarning])
def test_hints_follow_the_message(kind):
    problem = kind("dist.csv exists.", hint=Hint.OVERWRITE)
    assert str(problem) == "dist.csv exists. overwrite=True replaces it."
    assert (problem.message, problem.hint) == ("dist.csv exists.", Hint.OVERWRITE)
    assert str(kind("dist.csv exists.")) == "dist.csv exists."
    copied = pickle.loads(pickle.dumps(problem))
    assert (str(copied), copied.hint) == (str(problem), problem.hint)


def test_hints_name_no_options_of_the_command():
    assert not [name for name, text in vars(Hint).items() if name.isupper() and "--" in text]


def test_label_warning_has_a_reason_and_a_hint():
    warning = LabelWarning("Many tags are wrong.", "noisy", hint="Check them.")
    assert (str(warning), warning.reason) == ("Many tags are wrong. Check them.", "noisy")


def test_missing_packages_are_named_with_their_extra():
    with pytest.raises(MissingExtraError, match=r"not_there.*labeldist\[tables\]"):
        require("not_there.parquet", "tables")


def test_missing_dependencies_of_a_package_are_not_our_extra(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(ModuleNotFoundError, match="not_there") as caught:
        require("half_there", "tables")
    assert not isinstance(caught.value, MissingExtraError)
