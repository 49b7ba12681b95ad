"""The registry, and loading of data sets by name."""

import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.io
from sklearn.datasets import load_digits

from labeldist.datasets import binarize, list_datasets, load_dataset, load_logical_digits
from labeldist.datasets._registry import REGISTRY, SOURCES
from labeldist.exceptions import LabelWarning, UnknownDatasetError

# The table of the paper, in its order.
YEAST = {"alpha": 18, "cdc": 15, "cold": 4, "diau": 7, "dtt": 4, "elu": 14, "heat": 6, "spo": 6, "spo5": 3, "spoem": 2}
SHAPES = {f"Yeast_{name}": (2465, 24, n_labels) for name, n_labels in YEAST.items()}
SHAPES |= {"Natural_Scene": (2000, 294, 9), "Movie": (7755, 1869, 5), "SBU_3DFE": (2500, 243, 6)}
ADDITIONAL = ["SJAFFE", "emotion6", "M2B", "SCUT_FBP", "Music", "Painting", "FG-Net"]
FOLDER = r"https://raw\.githubusercontent\.com/[\w-]+/[\w.-]+/[0-9a-f]{40}/([\w.-]+/)*"  # pinned to a commit


@pytest.fixture
def tiny_folder(tiny, tmp_path, monkeypatch):
    """A data folder with the tiny set, which is in the registry during the test."""
    monkeypatch.setitem(REGISTRY, "Tiny", tiny.info)
    (tmp_path / "Tiny.mat").write_bytes(tiny.content)
    return tmp_path


def test_registry_has_the_sets_of_the_paper_in_its_order():
    benchmarks = {name: REGISTRY[name] for name in list_datasets()}
    shapes = {name: (info.n_samples, info.n_features, info.n_labels) for name, info in benchmarks.items()}
    assert list(shapes.items()) == list(SHAPES.items())
    for name, info in benchmarks.items():
        assert info.filename == f"{name}.mat"
        assert len(info.citation.splitlines()) > 1
    for source in SOURCES:
        assert re.fullmatch(FOLDER, source)


def test_other_sets_have_an_address_a_checksum_and_terms():
    assert list_datasets("additional") == ADDITIONAL
    assert len(REGISTRY) == len(SHAPES) + len(ADDITIONAL) + len(list_datasets("votes"))
    assert len({info.sha256 for info in REGISTRY.values()}) == len(REGISTRY)
    for name in [*ADDITIONAL, *list_datasets("votes")]:
        info = REGISTRY[name]
        assert re.fullmatch(FOLDER + re.escape(info.filename), info.url)
        assert re.fullmatch("[0-9a-f]{64}", info.sha256)
        assert info.terms
        assert info.citation
        assert info.kind == "additional" or len(info.label_names) == info.n_labels
    with pytest.raises(ValueError, match="'votes'; got 'all'"):
        list_datasets("all")


def add_to_registry(monkeypatch, folder, tiny, **arrays):
    """Write an additional set to the folder, and enter it into the registry."""
    scipy.io.savemat(folder / "Other.mat", arrays)
    sha256 = hashlib.sha256((folder / "Other.mat").read_bytes()).hexdigest()
    info = replace(tiny.info, name="Other", sha256=sha256, kind="additional", terms="Free.", url="http://x/Other.mat")
    monkeypatch.setitem(REGISTRY, "Other", info)


def test_additional_set_is_normalized(tiny, tmp_path, monkeypatch):
    add_to_registry(monkeypatch, tmp_path, tiny, features=tiny.X.astype(np.float32), labels=tiny.D * (1 + 3e-6))
    data = load_dataset("Other", data_home=tmp_path)
    np.testing.assert_allclose(data.target, tiny.D, rtol=1e-12)
    np.testing.assert_array_equal(data.data, tiny.X.astype(np.float32))
    assert data.data.dtype == np.float64
    assert "Terms: Free." in data.DESCR
    add_to_registry(monkeypatch, tmp_path, tiny, features=tiny.X, labels=tiny.D * [[0.57], [1], [1], [1], [1.2]])
    with pytest.warns(LabelWarning, match=r"2 rows of labels in .*Other\.mat .*0\.43 off"):
        np.testing.assert_allclose(load_dataset("Other", data_home=tmp_path).target, tiny.D, rtol=1e-12)


def test_bunch_and_pair(tiny, tiny_folder, monkeypatch):
    data = load_dataset("Tiny", data_home=tiny_folder)
    np.testing.assert_array_equal(data.data, tiny.X)
    np.testing.assert_array_equal(data.target, tiny.D)
    np.testing.assert_array_equal(data.logical, binarize(tiny.D))
    assert data.feature_names == ["feature_0", "feature_1", "feature_2"]
    assert data.target_names == ["label_0", "label_1"]
    assert data.filename == str(tiny_folder / "Tiny.mat")
    for part in ("Tiny", "5 rows", tiny.info.description, tiny.info.citation):
        assert part in data.DESCR
    monkeypatch.setenv("LABELDIST_DATA", str(tiny_folder))
    X, D = load_dataset("Tiny", return_X_y=True)
    np.testing.assert_array_equal(X, tiny.X)
    np.testing.assert_array_equal(D, tiny.D)


def test_unknown_name_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownDatasetError, match=r"'yeast_alpha'.* Yeast_alpha") as caught:
        load_dataset("yeast_alpha")
    assert ", ".join(list_datasets()) in str(caught.value)
    with pytest.raises(UnknownDatasetError, match="load_votes"):
        load_dataset("FER+")


@pytest.mark.parametrize("name", SHAPES)
def test_benchmark_set_and_its_published_logical_labels(name, benchmark_folder):
    data = load_dataset(name, data_home=benchmark_folder, download_if_missing=False)
    n_samples, n_features, n_labels = SHAPES[name]
    assert data.data.shape == (n_samples, n_features)
    assert data.target.shape == (n_samples, n_labels)
    for array in (data.data, data.target):
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
    with np.load(benchmark_folder / "logical_labels.npz") as published:
        np.testing.assert_array_equal(data.logical, published[name])


def test_digits_have_their_class_as_logical_label():
    digits, original = load_logical_digits(), load_digits()
    assert digits.logical.dtype == np.uint8
    np.testing.assert_array_equal(digits.logical, np.eye(10)[original.target])
    for key in ("data", "images", "target", "feature_names"):
        np.testing.assert_array_equal(digits[key], original[key])
    assert digits.target_names == list("0123456789")
    assert original.DESCR in digits.DESCR
    X, L = load_logical_digits(return_X_y=True)
    np.testing.assert_array_equal(X, digits.data)
    np.testing.assert_array_equal(L, digits.logical)
