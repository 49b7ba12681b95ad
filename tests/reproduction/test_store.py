"""Records of a store, and changed experiments."""

import shutil

import pytest

from labeldist.comparison import Store
from labeldist.exceptions import LabelDistError
from reproduction.runner import read_store, run
from tests.reproduction.small import small


def test_missing_and_empty_stores_raise(tmp_path):
    with pytest.raises(LabelDistError, match=r"none\.sqlite"):
        read_store(tmp_path / "none.sqlite")
    with Store(tmp_path / "empty.sqlite"):
        pass
    with pytest.raises(LabelDistError, match=r"empty\.sqlite has no records"):
        read_store(tmp_path / "empty.sqlite")


def test_changed_experiment_raises(finished, tmp_path):
    with Store(shutil.copy(finished, tmp_path / "records.sqlite")) as store:
        changed = ('use = "BDLDL"\n[', 'use = "BDLDL"\nparameters = { ridge = 9.0 }\n[')
        with pytest.raises(LabelDistError, match="BD-LDL"):
            run([small(changed)], store)
        with pytest.raises(LabelDistError, match="small"):
            run([small(("folds = 3", "folds = 4"))], store)


def test_experiments_outside_the_paper_are_not_interleaved(tmp_path):
    with Store(tmp_path / "records.sqlite") as store:
        run([small(('"small"', f'"{name}"')) for name in ("second", "first")], store, jobs=1)
    experiments = read_store(store.path)["experiment"]
    assert experiments.is_monotonic_increasing
    assert set(experiments) == {"first", "second"}
