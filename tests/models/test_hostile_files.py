"""Files that are damaged, are not models, or were made to do harm."""

import io
import json
import os
import pickle
import subprocess
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_array_equal

from labeldist import BDLDL
from labeldist.exceptions import ModelError, ModelVersionWarning
from labeldist.learning import DistributionForest
from labeldist.models import load, read_card, save
from labeldist.models._fitted_models import predict_distributions
from tests.app.cli.in_process import error_of
from tests.cases import named
from tests.models.examples import NEW, fitted


@pytest.fixture
def path(tmp_path):
    """A sound file."""
    save(fitted(BDLDL()), tmp_path / "model.skops")
    return tmp_path / "model.skops"


def rewrite(path, change):
    """Replace members of an archive: `change` gets a dict of their contents."""
    with ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with ZipFile(path, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


def plant(path, node):
    """Put a node of the skops format in the place of an attribute of the model."""

    def change(members):
        schema = json.loads(members["schema.json"])
        schema["content"]["content"]["floor_"] = node
        members["schema.json"] = json.dumps(schema).encode()

    rewrite(path, change)


def node(module, kind, loader, **content):
    return {"__class__": kind, "__module__": module, "__loader__": loader, **content}


def text(value):
    return node("builtins", "str", "JsonNode", content=json.dumps(value))


def sequence(kind, *items):
    return node("builtins", kind, f"{kind.capitalize()}Node", content=list(items))


@pytest.mark.parametrize(
    ("module", "kind", "loader"),
    [
        ("os", "system", "FunctionNode"),
        ("builtins", "eval", "TypeNode"),
        ("labeldist._files", "write_whole", "FunctionNode"),
        ("labeldist.learning._forest", "normalize", "FunctionNode"),
        ("sklearn.model_selection._split", "train_test_split", "FunctionNode"),
        ("sklearn.neighbors._kd_tree", "KDTree", "TypeNode"),
    ],
)
def test_other_types_are_refused_by_name(path, module, kind, loader):
    plant(path, node(module, kind, loader))
    with pytest.raises(ModelError, match=f"{module}.{kind}"):
        load(path)


def test_commands_are_not_run(path, tmp_path):
    trace = tmp_path / "trace"
    command = sequence("list", text("touch"), text(str(trace)))
    arguments = sequence("tuple", command)
    plant(path, node("subprocess", "Popen", "ConstructorFromReduceNode", content=arguments))
    with pytest.raises(ModelError, match=r"subprocess\.Popen"):
        load(path)
    assert not trace.exists()
    # The file is harmful: skops runs the command if all types are trusted.
    process = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path)).floor_
    assert isinstance(process, subprocess.Popen)
    process.wait()
    assert trace.exists()


class Touch:
    """Makes a folder when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def test_pickles_are_not_opened(path, tmp_path):
    trace, buffer = tmp_path / "trace", io.BytesIO()
    np.save(buffer, np.array([Touch(trace)], dtype=object), allow_pickle=True)

    def replace_arrays(members):
        members.update({name: buffer.getvalue() for name in members if name.endswith(".npy")})

    rewrite(path, replace_arrays)
    with pytest.raises(ModelError, match=r"model\.skops"):
        load(path)
    path.write_bytes(pickle.dumps(Touch(trace)))
    for read in (load, read_card):
        with pytest.raises(ModelError, match=r"model\.skops"):
            read(path)
    assert not trace.exists()


def test_trees_whose_nodes_lead_outside_are_refused(path):
    model = fitted(DistributionForest(3, random_state=0))
    save(model, path, overwrite=True)

    def change_nodes(members):
        for name in members:
            array = np.load(io.BytesIO(members[name])) if name.endswith(".npy") else np.empty(0)
            if array.dtype.names:
                array["left_child"][0] = 10**6
                buffer = io.BytesIO()
                np.save(buffer, array)
                members[name] = buffer.getvalue()

    rewrite(path, change_nodes)
    with pytest.raises(ModelError, match="tree"):
        load(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match=r"none\.skops.*No such file"):
        load(tmp_path / "none.skops")
    with pytest.raises(ModelError, match="directory"):
        read_card(tmp_path)


@pytest.mark.parametrize(
    "card",
    ["no json", "[1]", '{"format": "1"}', '{"format": 1}', '{"format": 2}', "[" * 100_000],
    ids=lambda s: s[:20],
)
def test_damaged_cards_and_cards_of_newer_formats(path, card):
    rewrite(path, lambda members: members.update({"card.json": card.encode()}))
    for read in (load, read_card):
        with pytest.raises(ModelError, match=r"model\.skops"):
            read(path)


@pytest.mark.parametrize("versions", [[], {}, None])
def test_cards_without_versions(path, versions):
    def change(members):
        card = json.loads(members["card.json"])
        card["versions"] = versions
        members["card.json"] = json.dumps(card).encode()

    rewrite(path, change)
    for read in (load, read_card):
        with pytest.raises(ModelError, match=r"model\.skops"):
            read(path)


def test_models_without_coefficients(path):
    def change(members):
        schema = json.loads(members["schema.json"])
        del schema["content"]["content"]["coef_"]
        members["schema.json"] = json.dumps(schema).encode()

    rewrite(path, change)
    with pytest.raises(ModelError, match="coef_"):
        predict_distributions(load(path), NEW)
    table = path.with_name("new.csv")
    pd.DataFrame(NEW).to_csv(table, index=False)
    assert "coef_" in error_of("predict", path, table)


def test_archives_without_a_card(path):
    rewrite(path, lambda members: members.pop("card.json"))
    with pytest.raises(ModelError, match=r"model\.skops.*card\.json"):
        load(path)


def test_truncated_files(path):
    content = path.read_bytes()
    for length in np.linspace(0, len(content) - 1, 25).astype(int):
        path.write_bytes(content[:length])
        with named(length), pytest.raises(ModelError, match=r"model\.skops"):
            load(path)


def test_flipped_bits_are_refused_or_change_nothing(path):
    content = path.read_bytes()
    expected = fitted(BDLDL()).predict(NEW)
    refused = 0
    for position in np.linspace(0, len(content) - 1, 60).astype(int):
        changed = bytearray(content)
        changed[position] ^= 0x55
        path.write_bytes(changed)
        with named(position):
            try:
                assert_array_equal(load(path).predict(NEW), expected)
            except ModelError:
                refused += 1
    assert refused > 40


@pytest.mark.parametrize("kind", ["U3", "V0"])
def test_arrays_of_other_types_are_named(path, kind):
    model = fitted(BDLDL())
    model.coef_ = model.coef_.astype("U3") if kind == "U3" else np.zeros(model.coef_.shape, "V1")
    save(model, path, overwrite=True)
    with pytest.raises(ModelError, match="wrong type"):
        predict_distributions(load(path), NEW)


def test_models_with_fewer_outputs_than_labels(path):
    model = fitted(BDLDL())
    model.coef_ = model.coef_[:-1]
    model.intercept_ = model.intercept_[:-1]
    save(model, path, overwrite=True)
    with pytest.raises(ModelError, match=r"3,\) outputs for 4 labels|outputs for"):
        predict_distributions(load(path), NEW)


def test_cards_of_other_labels_are_refused(path):
    def rename(members):
        card = json.loads(members["card.json"])
        card["label_names"] = card["label_names"][1:]
        members["card.json"] = json.dumps(card).encode()

    rewrite(path, rename)
    with pytest.raises(ModelError, match="labels of its model differ"):
        load(path)


def test_models_without_attributes(path):
    def remove(members):
        schema = json.loads(members["schema.json"])
        content = schema["content"]["content"]
        schema["content"]["content"] = {
            name: value for name, value in content.items() if not name.endswith("_")
        }
        members["schema.json"] = json.dumps(schema).encode()

    rewrite(path, remove)
    with pytest.raises(ModelError, match="not fitted"):
        load(path)


def test_control_characters_of_the_card_are_escaped(path):
    def change(members):
        card = json.loads(members["card.json"])
        card["versions"]["labeldist"] = "1\x1b[2J"
        members["card.json"] = json.dumps(card).encode()

    rewrite(path, change)
    with pytest.warns(ModelVersionWarning) as caught:
        load(path)
    message = str(caught[0].message)
    assert message.isprintable()
    assert r"\u001b" in message
