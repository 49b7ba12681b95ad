"""Loading of sets of votes by name; the files of the tests have the published layout."""

import hashlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from labeldist.datasets import list_datasets, load_votes
from labeldist.datasets._registry import REGISTRY
from labeldist.exceptions import UnknownDatasetError

NAMES = [f"ChaosNLI_{part}" for part in ("SNLI", "MNLI", "alphaNLI")]
NAMES += [
    f"{name}_{part}"
    for name in ("HS-Brexit", "MD-Agreement", "ConvAbuse", "ArMIS")
    for part in ("train", "dev", "test")
]
NAMES += ["CIFAR-10H", "FER+"]


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a set of the registry whose published file has the given content."""

    def load_content(name, content):
        info = replace(REGISTRY[name], sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setitem(REGISTRY, name, info)
        (tmp_path / info.filename).write_bytes(content)
        return load_votes(name, data_home=tmp_path, download_if_missing=False)

    return load_content


def test_names():
    assert list_datasets("votes") == NAMES
    with pytest.raises(UnknownDatasetError, match="Did you mean FER"):
        load_votes("FER")
    with pytest.raises(UnknownDatasetError, match="load_dataset"):
        load_votes("SJAFFE")


def test_chaos_nli_has_counts_and_texts(load):
    texts = {"obs1": "Rain fell.", "obs2": "Ann was\u2028wet.", "hyp1": "No roof.", "hyp2": "No rain.", "source": "dev"}
    records = [
        {"uid": uid, "label_counter": {}, "label_count": counts, "example": {"uid": uid, **texts}}
        for uid, counts in (("b-1", [97, 3]), ("a-1", [0, 100]))
    ]
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    data = load("ChaosNLI_alphaNLI", lines.encode())
    assert data.votes.label_names == ["1", "2"]
    np.testing.assert_array_equal(data.votes.distributions, [[0.97, 0.03], [0, 1]])
    np.testing.assert_array_equal(data.votes.weights, [100, 100])
    assert data.items.to_dict("records") == [{"uid": "b-1", **texts}, {"uid": "a-1", **texts}]
    assert data.votes.items == ["b-1", "a-1"]
    assert "Terms: CC BY-NC 4.0" in data.description
    assert repr(data).startswith("VoteData(VoteDistributions(2 items, 2 labels, 200 votes), items=[")


@pytest.mark.parametrize(
    ("name", "texts", "columns"),
    [
        ("HS-Brexit_test", ["17", "{a} tweet"], {"text": ["17", "{a} tweet"]}),
        ("ConvAbuse_train", ['{"agent": "Hi", "user": "Go"}'] * 2, {"agent": ["Hi", "Hi"], "user": ["Go", "Go"]}),
    ],
)
def test_lewidi_has_votes_of_annotators_and_texts(load, name, texts, columns):
    votes = {"1": ("1,0,1,1", "Ann1,Ann2,Ann3,Ann4"), "2": ("0", "Ann7")}
    records = {
        item: {"text": text, "annotations": votes[item][0], "annotators": votes[item][1], "soft_label": {"0": 0.25}}
        for item, text in zip(votes, texts, strict=True)
    }
    data = load(name, json.dumps(records).encode())
    found = data.votes.to_frame()
    assert data.votes.label_names == list(REGISTRY[name].label_names)
    assert found[["0", "1", "votes"]].to_numpy().tolist() == [[0.25, 0.75, 4], [1, 0, 1]]
    assert data.items.to_dict("list") == {"item": ["1", "2"], **columns}


def test_cifar_10h_has_counts_without_items(load):
    counts = np.zeros((3, 10), dtype=np.int64)
    counts[:, 3], counts[1, 5] = 45, 5
    file = io.BytesIO()
    np.save(file, counts)
    data = load("CIFAR-10H", file.getvalue())
    assert data.items is None
    assert repr(data).endswith("items=[])")
    assert data.votes.to_frame()[["cat", "dog", "votes"]].to_numpy().tolist() == [
        [1, 0, 45],
        [0.9, 0.1, 50],
        [1, 0, 45],
    ]


def test_fer_plus_has_counts_and_names_of_pictures(load):
    labels = REGISTRY["FER+"].label_names
    rows = [
        "Training,fer0000000.png,4,0,0,1,3,2,0,0,0,0",
        "Training,,0,0,0,0,0,0,0,0,0,10",
        "Training,,1,0,0,0,0,0,0,0,0,9",
    ]
    data = load("FER+", "\r\n".join([f"Usage,Image name,{','.join(labels)}", *rows]).encode())
    np.testing.assert_array_equal(data.votes.weights, [10, 10, 10])
    np.testing.assert_array_equal(data.votes.distributions[0], [0.4, 0, 0, 0.1, 0.3, 0.2, 0, 0, 0, 0])
    assert data.votes.to_frame()["NF"].tolist() == [0, 1, 0.9]
    assert data.items.to_dict("list") == {
        "item": [0, 1, 2],
        "Usage": ["Training"] * 3,
        "Image name": ["fer0000000.png", "", ""],
    }


@pytest.mark.parametrize("name", ["ChaosNLI_SNLI", "ChaosNLI_MNLI", "ConvAbuse_dev"])
def test_published_file(name, votes_folder, monkeypatch):
    monkeypatch.setenv("LABELDIST_VOTES", str(votes_folder))
    data, info = load_votes(name, download_if_missing=False), REGISTRY[name]
    assert data.votes.distributions.shape == (info.n_samples, info.n_labels)
    assert data.items[data.votes.item_name].tolist() == data.votes.items
    assert data.filename == str(votes_folder / info.filename)
    if name == "ConvAbuse_dev":
        # The published shares are of two classes (-3, -2 and -1 are abusive) and have three decimals.
        published = json.loads((votes_folder / info.filename).read_text(encoding="utf-8"))
        abusive = [record["soft_label"]["1"] for record in published.values()]
        np.testing.assert_allclose(data.votes.distributions[:, :3].sum(axis=1), abusive, rtol=0, atol=6e-4)
    else:
        assert data.votes.weights.tolist() == [100] * info.n_samples
        lines = (votes_folder / info.filename).read_text(encoding="utf-8").splitlines()
        np.testing.assert_allclose(data.votes.distributions, [json.loads(line)["label_dist"] for line in lines])
