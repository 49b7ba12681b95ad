"""Files that are no models, were damaged, or were made to do harm."""

import io
import json
import os
import pickle
import subprocess
from zipfile import ZipFile

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from labeldist import BDLDL
from labeldist.exceptions import ModelError
from labeldist.learning import AAKNN
from labeldist.models import _archive as archive
from labeldist.models import load, read_card, save
from labeldist.models._card import card_of
from tests.checks import example
from tests.models.examples import NEW, fitted
from tests.models.hostile import plant, rewrite, sequence, text


@pytest.fixture
def path(tmp_path):
    """A sound file."""
    save(fitted(BDLDL()), tmp_path / "model.skops")
    return tmp_path / "model.skops"


def function(module, name):
    return {"__class__": name, "__module__": module, "__loader__": "FunctionNode"}


NOTHING = {**sequence("dict"), "content": {}, "key_types": sequence("list")}
PARTIAL = {"func": function("os", "system"), "args": sequence("tuple", text("true")), "kwds": NOTHING}

PLANTED = {
    "os.system": function("os", "system"),
    "builtins.eval": {**function("builtins", "eval"), "__loader__": "TypeNode"},
    "functools.partial": {
        "__class__": "partial",
        "__module__": "functools",
        "__loader__": "PartialNode",
        "content": {**PARTIAL, "namespace": NOTHING},
    },
    "operator.methodcaller": {
        "__class__": "methodcaller",
        "__module__": "operator",
        "__loader__": "OperatorFuncNode",
        "attrs": sequence("tuple", text("system"), text("true")),
    },
    "labeldist._files.write_whole": function("labeldist._files", "write_whole"),
    "scipy.sparse._csr.csr_array": {
        "__class__": "csr_array",
        "__module__": "scipy.sparse._csr",
        "__loader__": "SparseMatrixNode",
        "type": "scipy",
        "file": "card.json",
    },
    "sklearn.neighbors._kd_tree.KDTree": {
        "__class__": "KDTree",
        "__module__": "sklearn.neighbors._kd_tree",
        "__loader__": "ObjectNode",
    },
}


@pytest.mark.parametrize("name", list(PLANTED))
def test_types_that_no_model_has_are_refused_by_name(path, name):
    plant(path, PLANTED[name])
    with pytest.raises(ModelError, match=rf"holds what a model of labeldist does not: .*{name}.* Nothing of it was"):
        load(path)


def test_what_would_run_a_command_does_not(path, tmp_path):
    trace = tmp_path / "trace"
    command = sequence("list", text("touch"), text(str(trace)))
    run = {"__class__": "Popen", "__module__": "subprocess", "__loader__": "ConstructorFromReduceNode"}
    plant(path, {**run, "content": sequence("tuple", command)})
    with pytest.raises(ModelError, match=r"subprocess\.Popen"):
        load(path)
    assert not trace.exists()
    # To whom everything is trustworthy it is as dangerous as it looks.
    everything = skops.io.get_untrusted_types(file=path)
    process = skops.io.load(path, trusted=everything).floor_
    assert isinstance(process, subprocess.Popen)
    process.wait()
    assert trace.exists()


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def test_a_pickle_in_disguise_is_refused(tmp_path):
    path, trace = tmp_path / "model.skops", tmp_path / "trace"
    path.write_bytes(pickle.dumps(Touch(trace)))
    for read in (load, read_card):
        with pytest.raises(ModelError, match="is not a model file"):
            read(path)
    assert not trace.exists()


def test_a_pickle_in_the_place_of_an_array_is_refused(path, tmp_path):
    trace, buffer = tmp_path / "trace", io.BytesIO()
    np.save(buffer, np.array([Touch(trace)], dtype=object), allow_pickle=True)
    with ZipFile(path) as sound:
        arrays = [name for name in sound.namelist() if name.endswith(".npy")]
    rewrite(path, **{name.replace(".", "_"): lambda _: buffer.getvalue() for name in arrays})
    with pytest.raises(ModelError, match=r"No model can be built from .*, which is damaged"):
        load(path)
    assert not trace.exists()
    np.load(io.BytesIO(buffer.getvalue()), allow_pickle=True)
    assert trace.exists()


def neighbours(**changes):
    X, D, _ = example()
    return AAKNN(algorithm="brute").fit(X, D).__getstate__() | changes


LEADING_OUT = {"data": np.ones(1), "indices": np.array([10**9]), "indptr": np.arange(2), "shape": (1, 5)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X_fit_": LEADING_OUT}, r"must be less than|must be <"),
        ({"X_fit_": np.array([[StandardScaler()]] * 40)}, "must be tables of numbers"),
        ({"X_fit_": StandardScaler()}, "must be tables of numbers"),
        ({"X_fit_": np.ones(40)}, r"X_fit_ has shape \(40,\)"),
        ({"label_distributions_": np.ones((3, 4))}, r"label_distributions_ \(3, 4\)"),
        ({"label_distributions_": "many"}, "must be tables of numbers"),
        ({"index_parameters": {"n_neighbors": 41}}, "n_neighbors is 41"),
        ({"index_parameters": {"metric": StandardScaler()}}, "'metric' parameter of AAKNN must be"),
        ({"index_parameters": StandardScaler()}, "must be a mapping"),
    ],
)
def test_neighbours_are_indexed_only_if_they_are_rows_of_numbers(changes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        AAKNN().__setstate__(neighbours(**changes))


class Hostile(AAKNN):
    """Writes to its file what it is told."""

    def __getstate__(self):
        return super().__getstate__() | self.hostile

    @classmethod
    def write(cls, path, **state):
        """Save such a model under the name of AAKNN."""
        model = fitted(cls(algorithm="brute"))
        model.hostile = state
        content = skops.io.dumps(model)
        path.write_bytes(archive.with_card(content, card_of(fitted(AAKNN())).to_json()))
        rewrite(
            path,
            schema_json=lambda schema: schema.replace(
                b"tests.models.test_hostile_files", AAKNN.__module__.encode()
            ).replace(b'"Hostile"', b'"AAKNN"'),
        )


HARMFUL = {
    "Pipeline has a memory": make_pipeline(StandardScaler(), BDLDL(), memory="cache"),
    "FunctionTransformer holds a function that is none of NumPy's": make_pipeline(FunctionTransformer(list), BDLDL()),
}


@pytest.mark.parametrize("message", list(HARMFUL))
def test_trusted_types_with_what_could_do_harm_are_refused(tmp_path, message):
    path = tmp_path / "model.skops"
    model = HARMFUL[message]
    Hostile.write(path, extra=[{"hidden": (model,)}])
    with pytest.raises(ModelError, match=rf"holds what could do harm: {message}"):
        load(path)


@pytest.mark.parametrize(
    "reader", [CountVectorizer(input="filename"), TfidfVectorizer(input="filename"), Ridge(), SVC(), NearestNeighbors()]
)
def test_what_skops_trusts_and_no_model_needs_is_refused(tmp_path, reader):
    path = tmp_path / "model.skops"
    Hostile.write(path, extra=reader)
    assert skops.io.get_untrusted_types(file=path) == ["labeldist.learning._neighbors.AAKNN"]
    with pytest.raises(ModelError, match=rf"holds what a model of labeldist does not: .*{type(reader).__name__}"):
        load(path)


def test_loading_neighbours_fits_nothing_that_the_file_brings(tmp_path):
    path, trace = tmp_path / "model.skops", tmp_path / "trace"
    cached = make_pipeline(StandardScaler(), StandardScaler(), memory=str(trace))
    Hostile.write(path, neighbors_=cached)
    with pytest.raises(ModelError, match="memory"):
        load(path)
    assert not trace.exists()
    # Fitted, it would have written and read pickles there.
    cached.fit(NEW)
    assert trace.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a model file, or it is damaged"),
        (b"a,b\n1,2\n", "is not a model file, or it is damaged"),
        (b"PK\x03\x04 but no more", "is not a model file, or it is damaged"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, content, message):
    path = tmp_path / "model.skops"
    path.write_bytes(content)
    for read in (load, read_card):
        with pytest.raises(ModelError, match=message):
            read(path)


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(ModelError, match=r"none\.skops cannot be read: No such file"):
        load(tmp_path / "none.skops")
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        read_card(tmp_path)


def test_archives_of_other_things_are_refused(tmp_path):
    path = tmp_path / "model.skops"
    with ZipFile(path, "w") as other:
        other.writestr("hello.txt", "hello")
    with pytest.raises(ModelError, match="is an archive, but not of a model"):
        load(path)
    skops.io.dump(fitted(BDLDL()), path)
    with pytest.raises(ModelError, match="is a skops file without a card"):
        load(path)


def test_something_else_with_a_card_is_refused(path):
    something = json.dumps({**text([1, 2]), "protocol": 2, "_skops_version": "0.11"}).encode()
    rewrite(path, schema_json=lambda _: something)
    with pytest.raises(ModelError, match="holds no model, but a list"):
        load(path)


def test_newer_files_are_refused(path):
    rewrite(path, schema_json=lambda schema: json.dumps(json.loads(schema) | {"protocol": 99}).encode())
    with pytest.raises(ModelError, match=r"is damaged or newer than skops here: .*99"):
        load(path)
    rewrite(path, card_json=lambda card: json.dumps(json.loads(card) | {"format": 2}).encode())
    for read in (load, read_card):
        with pytest.raises(ModelError, match=r"model\.skops cannot be read: its format is 2, .*pip install -U"):
            read(path)


def test_truncated_files_are_refused(path):
    content = path.read_bytes()
    for length in np.linspace(0, len(content) - 1, 25).astype(int):
        path.write_bytes(content[:length])
        with pytest.raises(ModelError):
            load(path)


def test_flipped_bits_are_refused_or_change_nothing(path):
    content, expected = path.read_bytes(), fitted(BDLDL()).predict(NEW)
    refused = 0
    for position in np.linspace(0, len(content) - 1, 60).astype(int):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x55]) + content[position + 1 :])
        try:
            assert_array_equal(load(path).predict(NEW), expected)
        except ModelError:
            refused += 1
    assert refused > 40


def test_a_schema_that_is_none_is_refused(path):
    rewrite(path, schema_json=lambda _: b"[1]")
    with pytest.raises(ModelError, match=r"model\.skops, which is damaged: its schema is no"):
        load(path)


def test_nesting_without_end_is_refused(path):
    rewrite(path, schema_json=lambda _: b'{"protocol": 2, "__loader__": ' + b"[" * 100_000)
    with pytest.raises(ModelError, match="which is damaged"):
        load(path)
