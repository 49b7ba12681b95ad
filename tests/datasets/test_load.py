import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from labeldist.datasets import _registry as registry
from labeldist.datasets import binarize, list_datasets, load_dataset
from labeldist.datasets._registry import REGISTRY
from labeldist.exceptions import ChecksumError, DatasetError, DatasetNotFoundError, UnknownDatasetError


@pytest.fixture
def tiny_folder(tiny, tmp_path, monkeypatch):
    """A data folder with the tiny set, which is registered for the test."""
    monkeypatch.setitem(REGISTRY, "Tiny", tiny.info)
    (tmp_path / "Tiny.mat").write_bytes(tiny.content)
    return tmp_path


def test_bunch(tiny, tiny_folder):
    data = load_dataset("Tiny", data_home=tiny_folder)
    np.testing.assert_array_equal(data.data, tiny.X)
    np.testing.assert_array_equal(data.target, tiny.D)
    np.testing.assert_array_equal(data.logical, binarize(tiny.D))
    assert data.feature_names == ["feature_0", "feature_1", "feature_2"]
    assert data.target_names == ["label_0", "label_1"]
    assert data.filename == str(tiny_folder / "Tiny.mat")
    for part in ("Tiny: 5 rows, 3 features, 2 labels", tiny.info.description, tiny.info.citation):
        assert part in data.DESCR


def test_pair(tiny, tiny_folder):
    X, D = load_dataset("Tiny", data_home=tiny_folder, return_X_y=True)
    np.testing.assert_array_equal(X, tiny.X)
    np.testing.assert_array_equal(D, tiny.D)


def test_folder_of_the_environment(tiny, tiny_folder, monkeypatch):
    monkeypatch.setenv("LABELDIST_DATA", str(tiny_folder))
    assert load_dataset("Tiny").filename == str(tiny_folder / "Tiny.mat")


def test_missing_file_is_downloaded(tiny, tiny_folder, tmp_path, server, monkeypatch):
    monkeypatch.setattr(registry, "SOURCES", (server.url,))
    server.answers["/Tiny.mat"] = tiny.content
    X, _ = load_dataset("Tiny", data_home=tmp_path / "new", return_X_y=True)
    np.testing.assert_array_equal(X, tiny.X)
    assert server.asked == ["/Tiny.mat"]


def test_missing_file_is_not_downloaded_if_not_wanted(tiny_folder, tmp_path):
    with pytest.raises(DatasetNotFoundError, match="download_if_missing=True"):
        load_dataset("Tiny", data_home=tmp_path / "new", download_if_missing=False)


def test_damaged_file(tiny_folder):
    with (tiny_folder / "Tiny.mat").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ChecksumError):
        load_dataset("Tiny", data_home=tiny_folder)


@pytest.mark.parametrize("key", ["n_samples", "n_features", "n_labels"])
def test_shape_must_be_the_registered_one(tiny, tiny_folder, monkeypatch, key):
    monkeypatch.setitem(REGISTRY, "Tiny", replace(tiny.info, **{key: 99}))
    with pytest.raises(DatasetError, match=r"5 rows, 3 features and 2 labels; Tiny has .*99"):
        load_dataset("Tiny", data_home=tiny_folder)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("yeast_alpha", "Yeast_alpha"),
        ("Yeast-spo5", "Yeast_spo5"),
        ("Natural Scene", "Natural_Scene"),
        ("MOVIES", "Movie"),
        ("SBU3DFE", "SBU_3DFE"),
    ],
)
def test_unknown_name_with_a_close_match(name, meant):
    with pytest.raises(UnknownDatasetError, match=f"no data set '{name}'. Did you mean {meant}") as caught:
        load_dataset(name)
    assert ", ".join(list_datasets()) in str(caught.value)


def test_unknown_name_without_a_close_match():
    with pytest.raises(UnknownDatasetError, match=r"no data set 'quux'\. There are: Yeast_alpha, "):
        load_dataset("quux")


def test_import_brings_no_heavy_library():
    # What `import labeldist` brings is not this room's doing.
    program = (
        "import sys, labeldist; before = set(sys.modules); import labeldist.datasets; "
        "print(*(set(sys.modules) - before) & {'pooch', 'requests', 'matplotlib', 'pandas'})"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize("name", list_datasets())
def test_benchmark_set(name, benchmark_folder):
    data = load_dataset(name, data_home=benchmark_folder, download_if_missing=False)
    info = REGISTRY[name]
    assert data.data.shape == (info.n_samples, info.n_features) == (len(data.data), len(data.feature_names))
    assert data.target.shape == (info.n_samples, info.n_labels) == (len(data.data), len(data.target_names))
    assert data.logical.shape == data.target.shape
    for array in (data.data, data.target):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
