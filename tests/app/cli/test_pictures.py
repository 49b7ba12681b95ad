"""Pictures of the commands."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.app.cli.in_process import run
from tests.app.cli.songs import FIT, NAMES


@pytest.mark.parametrize(
    ("show", "text"),
    [("calibration", "recovered"), ("search", "ridge"), ("importance", "30 held-out rows")],
)
def test_pictures_of_models(folder, show, text):
    run(*FIT, "bdldlcv", "--picture", "picture.svg", "--show", show)
    assert text in (folder / "picture.svg").read_text()


def test_importance_of_prepared_columns_with_weights(table):
    key = np.where(table["joy"] > table["joy"].median(), "major", "minor")
    table.assign(key=key, n=1).to_csv("dist.csv", index=False)
    columns = ("--prepare", "--ignore", "title,tempo,loudness", "--weights", "n")
    run(*FIT, "bdldl", *columns, "--picture", "p.svg", "--show", "importance")
    drawn = Path("p.svg").read_text(encoding="utf-8")
    assert {"key", "pitch"} <= set(re.findall(r"<!-- (\w+) -->", drawn))


@pytest.mark.slow
def test_pictures_of_predictions(folder):
    drawn = {}
    for show in ("calibration", "scatter", "bars", "ternary"):
        options = ("--item", "title", "--picture", f"{show}.svg", "--show", show)
        run("evaluate", "dist.csv", "pred.csv", *NAMES, *options)
        drawn[show] = (folder / f"{show}.svg").read_text()
    assert len(set(drawn.values())) == 4
    assert [show for show, content in drawn.items() if "Song " in content] == ["bars"]
    assert [show for show, content in drawn.items() if "joy" not in content] == ["calibration"]
