"""Model files that were made to do harm; more of them are in tests/models, beside what each of them tries."""

import io
import json
from zipfile import ZipFile

import numpy as np
import pytest

from labeldist import BDLDL
from labeldist.models import load, read_card, save
from tests.models.examples import NEW, fitted
from tests.trust import attacks
from tests.trust.attacks import GIGABYTE, MEGABYTE
from tests.trust.guard import watched


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """What a sound file consists of."""
    path = tmp_path_factory.mktemp("sound") / "model.skops"
    save(fitted(BDLDL()), path)
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def array_in(members):
    return next(name for name in members if name.endswith(".npy"))


def test_a_model_that_expands_to_gigabytes(refuses, members):
    name = array_in(members)
    packed = attacks.deflated(attacks.npy_head((3 * GIGABYTE // 8,)), 3 * 1024, wbits=-15)
    content = attacks.zip_of(members | {name: packed}, sizes={name: 3 * GIGABYTE})
    assert len(content) < 6 * MEGABYTE
    refuses(load, "model.skops", content, "unpacks to more than the 2,147,483,648 bytes that a model may have")


def test_an_array_with_a_shape_that_it_has_no_numbers_for(refuses, members):
    for shape in ((2**50,), (10**30,), (2**30,)):
        content = attacks.zip_of(members | {array_in(members): attacks.npy_head(shape) + bytes(8)})
        refuses(load, "model.skops", content, "No model can be built from")


def test_an_archive_in_the_place_of_an_array(refuses, members):
    inner = io.BytesIO()
    np.savez_compressed(inner, a=np.zeros(10))
    content = attacks.zip_of(members | {array_in(members): inner.getvalue()})
    refuses(load, "model.skops", content, "which is damaged.*is no array")


@pytest.mark.parametrize("name", ["../evil.txt", "/evil.txt", "..\\evil.txt", "C:\\evil.txt", "a/../../evil.txt"])
def test_members_whose_names_lead_out_of_the_folder_are_not_written(tmp_path, members, name):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "model.skops").write_bytes(attacks.zip_of(members | {name: b"evil"}))
    before = sorted(tmp_path.rglob("*"))
    with watched(folder):
        assert load(folder / "model.skops").predict(NEW).shape == (len(NEW), 4)
        read_card(folder / "model.skops")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("file", ["../../etc/passwd", "/etc/passwd", "card.json", "", None, 7, ["a"]])
def test_arrays_are_read_from_the_archive_alone(refuses, members, file):
    schema = json.loads(members["schema.json"])
    for node in _nodes(schema):
        if "file" in node:
            node["file"] = file
    content = attacks.zip_of(members | {"schema.json": json.dumps(schema).encode()})
    refuses(load, "model.skops", content, "No model can be built from|damaged")


def _nodes(tree):
    if isinstance(tree, dict):
        yield tree
    for branch in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes(branch)


@pytest.mark.parametrize(
    "change",
    [
        {"feature_names": 0},
        {"feature_names": False},
        {"feature_names": ""},
        {"feature_names": {}},
        {"label_names": "joy"},
        {"label_names": [1]},
        {"training_rows": ""},
        {"summary": 0},
        {"format": float("nan")},
        {"format": 0.5},
        {"n_features": None},
        {"measures": {"a": "b"}},
        {"versions": {"labeldist": 1}},
        {"more": 1},
    ],
    ids=str,
)
def test_cards_of_another_kind_are_refused(refuses, members, change):
    card = json.dumps(json.loads(members["card.json"]) | change).encode()
    refuses(read_card, "model.skops", attacks.zip_of(members | {"card.json": card}), "its card is damaged")


def test_names_in_a_card_are_names_and_never_paths(tmp_path, members):
    names = ["../../evil", "/etc/passwd", "a\0b", "x" * 1000]
    card = json.dumps(json.loads(members["card.json"]) | {"label_names": names}).encode()
    (tmp_path / "model.skops").write_bytes(attacks.zip_of(members | {"card.json": card}))
    with watched(tmp_path):
        assert list(read_card(tmp_path / "model.skops").label_names) == names
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]


def test_members_that_nobody_asks_for_are_left_alone(tmp_path, members):
    many = members | {f"{k}.npy": b"no array" for k in range(5_000)}
    (tmp_path / "model.skops").write_bytes(attacks.zip_of(many))
    assert load(tmp_path / "model.skops").predict(NEW).shape == (len(NEW), 4)
