"""Tables for the tests of the commands."""

import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist.datasets import binarize, make_artificial
from tests.app.cli.songs import FEATURES, LABELS


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


@pytest.fixture
def table(folder):
    """Return the table of degrees in dist.csv."""
    return pd.read_csv("dist.csv")


@pytest.fixture
def repeated(folder, rng):
    """Return shares of votes on 704 items with 71 contexts, each with two moods."""
    moods = ["superb", "terrible"]
    letters = [f"{letter}word" for letter in "abcdefgh"]
    contexts = []
    for k in range(71):
        words = [f"context{k}", *rng.choice(letters, size=4, replace=False), moods[k % 2]]
        contexts.append(" ".join(words))
    of_row = np.arange(704) % 71
    joy = np.where(of_row % 2, 0.2, 0.8)
    frame = pd.DataFrame({"joy": joy, "fear": 1 - joy})
    frame["context"] = np.array(contexts)[of_row]
    frame["kind"] = rng.choice(["north", "south"], size=704)
    frame["size"] = rng.normal(size=704)
    frame["id"] = [f"{k:08x}-e29b-41d4-a716-446655440000" for k in range(704)]
    frame.to_csv("repeated.csv", index=False)
    return frame
