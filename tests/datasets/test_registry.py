import re

import pytest

from labeldist.datasets import list_datasets
from labeldist.datasets._fetch import locate
from labeldist.datasets._registry import REGISTRY, SOURCES

# The table of the paper, in its order.
SHAPES = {
    "Yeast_alpha": (2465, 24, 18),
    "Yeast_cdc": (2465, 24, 15),
    "Yeast_cold": (2465, 24, 4),
    "Yeast_diau": (2465, 24, 7),
    "Yeast_dtt": (2465, 24, 4),
    "Yeast_elu": (2465, 24, 14),
    "Yeast_heat": (2465, 24, 6),
    "Yeast_spo": (2465, 24, 6),
    "Yeast_spo5": (2465, 24, 3),
    "Yeast_spoem": (2465, 24, 2),
    "Natural_Scene": (2000, 294, 9),
    "Movie": (7755, 1869, 5),
    "SBU_3DFE": (2500, 243, 6),
}


def test_sets_and_shapes_are_the_papers_in_its_order():
    shapes = {name: (info.n_samples, info.n_features, info.n_labels) for name, info in REGISTRY.items()}
    assert list(shapes.items()) == list(SHAPES.items())
    assert list_datasets() == list(SHAPES)


def test_list_datasets_returns_a_list_of_its_own():
    list_datasets().clear()
    assert list_datasets()


@pytest.mark.parametrize("name", SHAPES)
def test_row_is_complete(name):
    info = REGISTRY[name]
    assert info.name == name
    assert info.filename == f"{name}.mat"
    assert re.fullmatch("[0-9a-f]{64}", info.sha256)
    assert info.git_blob is None or re.fullmatch("[0-9a-f]{40}", info.git_blob)
    assert info.description.endswith(".")
    assert "28(7), 1734-1748, 2016" in info.citation.splitlines()[-1]
    assert len(info.citation.splitlines()) > 1


def test_checksums_are_distinct():
    assert len({info.sha256 for info in REGISTRY.values()}) == len(REGISTRY)


def test_row_cannot_be_changed():
    with pytest.raises(AttributeError):
        REGISTRY["Movie"].n_samples = 1


def test_sources_are_pinned_to_a_commit():
    assert len(SOURCES) == 2
    for source in SOURCES:
        assert re.fullmatch(r"https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{40}/(\w+/)+", source)


@pytest.mark.parametrize("name", SHAPES)
def test_benchmark_file_has_the_registered_checksum(name, benchmark_folder):
    path = locate(REGISTRY[name], benchmark_folder, download_if_missing=False)
    assert path == benchmark_folder / f"{name}.mat"
