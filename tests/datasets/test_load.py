"""The registry, and loading of data sets by name."""

import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.io
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.datasets import binarize, list_datasets, load_dataset
from labeldist.datasets._registry import REGISTRY, SOURCES
from labeldist.exceptions import LabelDistError
from labeldist.simplex import check_distributions

# The table of the paper, in its order.
YEAST = ["alpha", "cdc", "cold", "diau", "dtt", "elu", "heat", "spo", "spo5", "spoem"]
N_LABELS = (18, 15, 4, 7, 4, 14, 6, 6, 3, 2)
SHAPES = {f"Yeast_{name}": (2465, 24, n) for name, n in zip(YEAST, N_LABELS, strict=True)}
SHAPES |= {"Natural_Scene": (2000, 294, 9), "Movie": (7755, 1869, 5), "SBU_3DFE": (2500, 243, 6)}
ADDITIONAL = ["SJAFFE", "emotion6", "M2B", "SCUT_FBP", "Music", "Painting", "FG-Net"]
# Pinned to a commit.
FOLDER = r"https://raw\.githubusercontent\.com/[\w-]+/[\w.-]+/[0-9a-f]{40}/([\w.-]+/)*"


@pytest.fixture
def tiny_folder(tiny, tmp_path, monkeypatch):
    """A data folder with the tiny set, which is in the registry during the test."""
    monkeypatch.setitem(REGISTRY, "Tiny", tiny.info)
    (tmp_path / "Tiny.mat").write_bytes(tiny.content)
    return tmp_path


def test_registry_has_the_sets_of_the_paper_in_its_order():
    assert list_datasets() == list(SHAPES)
    for source in SOURCES:
        assert re.fullmatch(FOLDER, source)


@pytest.mark.parametrize("name", SHAPES)
def test_sets_of_the_paper_have_a_shape_a_file_and_a_citation(name):
    info = REGISTRY[name]
    assert (info.n_samples, info.n_features, info.n_labels) == SHAPES[name]
    assert info.filename == f"{name}.mat"
    assert len(info.citation.splitlines()) > 1


def test_registry_has_three_kinds_of_sets_with_different_files():
    assert list_datasets("additional") == ADDITIONAL
    assert len(REGISTRY) == len(SHAPES) + len(ADDITIONAL) + len(list_datasets("votes"))
    assert len({info.sha256 for info in REGISTRY.values()}) == len(REGISTRY)
    with pytest.raises(ValueError, match="got 'all'"):
        list_datasets("all")


@pytest.mark.parametrize("name", [*ADDITIONAL, *list_datasets("votes")])
def test_other_sets_have_an_address_a_citation_and_terms(name):
    info = REGISTRY[name]
    assert re.fullmatch(FOLDER + re.escape(info.filename), info.url)
    assert info.terms
    assert info.citation
    assert info.kind == "additional" or len(info.label_names) == info.n_labels


@pytest.fixture
def load_other(tiny, tmp_path, monkeypatch):
    """Load an additional set with the given degrees."""

    def load_other(D):
        path = tmp_path / "Other.mat"
        scipy.io.savemat(path, {"features": tiny.X.astype(np.float32), "labels": D})
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        about = {"name": "Other", "kind": "additional", "url": "http://x/Other.mat"}
        monkeypatch.setitem(REGISTRY, "Other", replace(tiny.info, sha256=sha256, **about))
        return load_dataset("Other", data_home=tmp_path)

    return load_other


def test_additional_set_is_normalized(tiny, load_other):
    data = load_other(tiny.D * (1 + 3e-6))
    assert_allclose(data.target, tiny.D, rtol=1e-12)
    assert_array_equal(data.data, tiny.X.astype(np.float32))
    assert data.data.dtype == np.float64
    data = load_other(tiny.D * [[0.57], [1], [1], [1], [1.2]])
    assert_allclose(data.target, tiny.D, rtol=1e-12)


def test_bunch_and_pair(tiny, tiny_folder, monkeypatch):
    data = load_dataset("Tiny", data_home=tiny_folder)
    assert_array_equal(data.data, tiny.X)
    assert_array_equal(data.target, tiny.D)
    assert_array_equal(data.logical, binarize(tiny.D))
    assert data.feature_names == ["feature_0", "feature_1", "feature_2"]
    assert data.target_names == ["label_0", "label_1"]
    assert data.filename == str(tiny_folder / "Tiny.mat")
    assert tiny.info.citation in data.DESCR
    monkeypatch.setenv("LABELDIST_DATA", str(tiny_folder))
    X, D = load_dataset("Tiny", return_X_y=True)
    assert_array_equal(np.hstack([X, D]), np.hstack([tiny.X, tiny.D]))


def test_unknown_name_raises_with_a_suggestion():
    with pytest.raises(LabelDistError, match=r"'yeast_alpha'.* Yeast_alpha"):
        load_dataset("yeast_alpha")
    with pytest.raises(LabelDistError, match="load_votes"):
        load_dataset("FER+")


@pytest.mark.parametrize("name", SHAPES)
def test_benchmark_set_and_its_published_logical_labels(name, benchmark_folder):
    data = load_dataset(name, data_home=benchmark_folder, download_if_missing=False)
    n_samples, n_features, _ = SHAPES[name]
    assert data.data.shape == (n_samples, n_features)
    assert data.data.dtype == data.target.dtype == np.float64
    check_distributions(data.target)
    with np.load(benchmark_folder / "logical_labels.npz") as published:
        assert_array_equal(data.logical, published[name])
