"""Tables for the tests of the commands."""

import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import binarize, make_artificial

LABELS = ["joy", "fear", "calm"]
FEATURES = ["tempo", "loudness", "pitch"]


@pytest.fixture(scope="session")
def songs(tmp_path_factory):
    """A folder with tables of songs, a model, and its predictions in pred.csv.

    Tags are in in.csv, degrees in dist.csv, features in new.csv, and votes in votes.csv.
    """
    from labeldist.models import save

    folder = tmp_path_factory.mktemp("songs")
    X, D = make_artificial(120, random_state=0)
    titles = pd.DataFrame({"title": [f"Song {i}" for i in range(len(X))]})
    features = pd.DataFrame(X, columns=FEATURES)
    degrees = pd.DataFrame(D, columns=LABELS)
    tags = pd.DataFrame(binarize(D), columns=LABELS)
    model = BDLDL().fit(features, degrees)
    predicted = pd.DataFrame(model.predict(features), columns=LABELS)
    save(model, folder / "model.skops")
    votes = np.random.default_rng(0).multinomial(1, D[:40], size=(5, 40)).argmax(axis=2)
    ballots = [
        (f"Song {i}", f"person {a}", LABELS[votes[a, i]]) for i in range(40) for a in range(5)
    ]
    items = titles.join(features)
    tables = {
        "in": items.join(tags),
        "dist": items.join(degrees),
        "new": items,
        "pred": titles.join(predicted),
        "votes": pd.DataFrame(ballots, columns=["title", "who", "emotion"]),
    }
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def folder(songs, tmp_path, monkeypatch):
    """A copy of the tables of `songs` in the current folder."""
    monkeypatch.chdir(tmp_path)
    for path in songs.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path
