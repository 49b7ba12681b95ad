"""Loading of sets of votes by name; the files of the tests have the published layout."""

import hashlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labeldist.datasets import load_votes
from labeldist.datasets._registry import REGISTRY
from labeldist.exceptions import LabelDistError


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a set of the registry whose published file has the given content."""

    def load_content(name, content):
        info = replace(REGISTRY[name], sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setitem(REGISTRY, name, info)
        (tmp_path / info.filename).write_bytes(content)
        return load_votes(name, data_home=tmp_path, download_if_missing=False)

    return load_content


def test_unknown_names_raise():
    with pytest.raises(LabelDistError, match="Did you mean FER"):
        load_votes("FER")
    with pytest.raises(LabelDistError, match="load_dataset"):
        load_votes("SJAFFE")


def test_chaos_nli_has_counts_and_texts(load):
    example = {"obs1": "Rain fell.", "obs2": "Ann was\u2028wet.", "source": "dev"}
    lines = ""
    for uid, counts in (("b-1", [97, 3]), ("a-1", [0, 100])):
        record = {"uid": uid, "label_count": counts, "example": {"uid": uid, **example}}
        lines += json.dumps(record, ensure_ascii=False) + "\n"
    data = load("ChaosNLI_alphaNLI", lines.encode())
    assert data.votes.label_names == ["1", "2"]
    assert_array_equal(data.votes.distributions, [[0.97, 0.03], [0, 1]])
    assert data.votes.items == ["b-1", "a-1"]
    assert data.items.to_dict("records")[0] == {"uid": "b-1", **example}
    assert "CC BY-NC 4.0" in data.description


@pytest.mark.parametrize(
    ("name", "texts", "columns"),
    [
        ("HS-Brexit_test", ["17", "{a} tweet"], {"text": ["17", "{a} tweet"]}),
        (
            "ConvAbuse_train",
            ['{"agent": "Hi", "user": "Go"}'] * 2,
            {"agent": ["Hi", "Hi"], "user": ["Go", "Go"]},
        ),
    ],
)
def test_lewidi_has_votes_of_annotators_and_texts(load, name, texts, columns):
    first = {"annotations": "1,0,1,1", "annotators": "Ann1,Ann2,Ann3,Ann4"}
    second = {"annotations": "0", "annotators": "Ann7"}
    records = {"1": {"text": texts[0], **first}, "2": {"text": texts[1], **second}}
    data = load(name, json.dumps(records).encode())
    found = data.votes.to_frame()
    assert data.votes.label_names == list(REGISTRY[name].label_names)
    assert found[["0", "1", "votes"]].to_numpy().tolist() == [[0.25, 0.75, 4], [1, 0, 1]]
    assert data.items.to_dict("list") == {"item": ["1", "2"], **columns}


def test_cifar_10h_has_counts_without_items(load):
    counts = np.zeros((2, 10), dtype=np.int64)
    counts[:, 3] = 45
    counts[1, 5] = 5
    file = io.BytesIO()
    np.save(file, counts)
    data = load("CIFAR-10H", file.getvalue())
    assert data.items is None
    found = data.votes.to_frame()[["cat", "dog", "votes"]]
    assert found.to_numpy().tolist() == [[1, 0, 45], [0.9, 0.1, 50]]


def test_fer_plus_has_counts_and_names_of_pictures(load):
    header = ",".join(["Usage", "Image name", *REGISTRY["FER+"].label_names])
    rows = "Training,fer0.png,4,0,0,1,3,2,0,0,0,0\r\nTraining,,1,0,0,0,0,0,0,0,0,9"
    data = load("FER+", f"{header}\r\n{rows}".encode())
    assert_array_equal(data.votes.weights, [10, 10])
    found = data.votes.to_frame()
    assert found[["neutral", "anger", "NF"]].to_numpy().tolist() == [[0.4, 0.3, 0], [0.1, 0, 0.9]]
    assert data.items["item"].tolist() == [0, 1]
    assert data.items["Image name"].tolist() == ["fer0.png", ""]


@pytest.mark.parametrize("name", ["ChaosNLI_SNLI", "ConvAbuse_dev"])
def test_published_file(name, votes_folder, monkeypatch):
    monkeypatch.setenv("LABELDIST_VOTES", str(votes_folder))
    data = load_votes(name, download_if_missing=False)
    info = REGISTRY[name]
    assert data.votes.distributions.shape == (info.n_samples, info.n_labels)
    assert data.items[data.votes.item_name].tolist() == data.votes.items
    text = (votes_folder / info.filename).read_text(encoding="utf-8")
    if name == "ConvAbuse_dev":
        # The published shares are of two classes (-3, -2 and -1 are abusive) and have three
        # decimals.
        published = [record["soft_label"]["1"] for record in json.loads(text).values()]
        abusive = data.votes.distributions[:, :3].sum(axis=1)
        assert_allclose(abusive, published, rtol=0, atol=6e-4)
    else:
        published = [json.loads(line)["label_dist"] for line in text.splitlines()]
        assert_allclose(data.votes.distributions, published)
