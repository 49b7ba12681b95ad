"""Several commands, one after the other."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.models import load
from tests.app.cli.in_process import run, run_json
from tests.app.cli.songs import LABELS

MULAN = """@relation 'music: -C 3'
@attribute tempo numeric
@attribute key {{major,minor}}
@attribute pitch numeric
@attribute 'mostly joy' {{0,1}}
@attribute fear {{0,1}}
@attribute calm {{0,1}}
@data
{rows}
"""


XML = """<?xml version="1.0" ?><labels xmlns="http://mulan.sourceforge.net/labels">
<label name="mostly joy"></label><label name="fear"></label><label name="calm"></label></labels>"""


@pytest.mark.slow
def test_mulan_files_from_tags_to_predictions(folder):
    songs = pd.read_csv("in.csv")
    songs["loudness"] = np.where(songs["loudness"] > 0, "major", "minor")
    cells = songs[["tempo", "loudness", "pitch", *LABELS]].astype(str)
    cells.loc[5, "tempo"] = "?"
    (folder / "music.arff").write_text(MULAN.format(rows="\n".join(cells.agg(",".join, axis=1))))
    (folder / "music.xml").write_text(XML)
    labels = ("--labels", "music.xml", "--prepare")
    facts = run_json("enhance", "music.arff", *labels, "-o", "d.csv")
    assert facts["features"] == ["tempo", "key", "pitch"]
    run("fit", "d.csv", *labels, "-o", "m.skops")
    run("predict", "m.skops", "music.arff", "-o", "p.csv")
    expected = load("m.skops").predict(pd.read_csv("d.csv"))
    assert_allclose(pd.read_csv("p.csv")[["mostly joy", "fear", "calm"]], expected, rtol=1e-12)


def test_from_votes_on_text_to_an_evaluated_prediction(tmp_path, monkeypatch):
    """By commands alone; one word of each sentence determines the shares of the votes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    nouns = [f"noun{k}" for k in range(20)]
    degree = {"sun": 0.9, "rain": 0.5, "storm": 0.1}
    for name, n in (("train", 150), ("test", 50)):
        records = []
        for k in range(n):
            weather = str(rng.choice(list(degree)))
            text = f"the {weather} over {' and '.join(rng.choice(nouns, 3, replace=False))}"
            joy = int(rng.binomial(10, degree[weather]))
            counts = {"joy": joy, "fear": 10 - joy}
            records.append({"uid": f"{name}{k}", "example": {"text": text}, "counts": counts})
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        columns = ("--item", "uid", "--counts", "counts")
        run("votes", f"{name}.jsonl", *columns, "-o", f"{name}_dist.jsonl")
    labels = ("-l", "joy,fear")
    options = ("--prepare", "--weights", "votes", "--method", "bdldlcv", "-o", "m.skops")
    facts = run_json("fit", "train_dist.jsonl", *labels, *options)
    assert facts["features"] == ["example.text"]
    assert list(facts["left_out"]) == ["uid"]
    run("predict", "m.skops", "test.jsonl", "-o", "pred.csv")
    facts = run_json("evaluate", "test_dist.jsonl", "pred.csv", *labels, "--item", "uid")
    assert facts["skill"] > 0.5
