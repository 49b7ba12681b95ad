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
    """A folder: tags in in.csv, degrees in dist.csv, features in new.csv, votes.csv, a model and its pred.csv."""
    from labeldist.models import save

    folder = tmp_path_factory.mktemp("songs")
    X, D = make_artificial(120, random_state=0)
    title = pd.DataFrame({"title": [f"Song {i}" for i in range(len(X))]})
    features, degrees = pd.DataFrame(X, columns=FEATURES), pd.DataFrame(D, columns=LABELS)
    title.join(features).join(pd.DataFrame(binarize(D), columns=LABELS)).to_csv(folder / "in.csv", index=False)
    title.join(features).join(degrees).to_csv(folder / "dist.csv", index=False)
    title.join(features).to_csv(folder / "new.csv", index=False)
    model = BDLDL().fit(features, degrees)
    save(model, folder / "model.skops")
    title.join(pd.DataFrame(model.predict(features), columns=LABELS)).to_csv(folder / "pred.csv", index=False)
    votes = np.random.default_rng(0).multinomial(1, D[:40], size=(5, 40)).argmax(axis=2)
    pd.DataFrame(
        [(f"Song {i}", f"person {a}", LABELS[votes[a, i]]) for i in range(40) for a in range(5)],
        columns=["title", "who", "emotion"],
    ).to_csv(folder / "votes.csv", index=False)
    return folder


@pytest.fixture
def folder(songs, tmp_path, monkeypatch):
    """A copy of the tables of `songs` in the current folder."""
    monkeypatch.chdir(tmp_path)
    for path in songs.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path
