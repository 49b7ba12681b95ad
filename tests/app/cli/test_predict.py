"""``labeldist predict``."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from labeldist import BDLDL, BDLE
from labeldist.app.cli import predict
from labeldist.app.tables import chunks
from labeldist.app.tables.read_and_write import read_table
from labeldist.models import save
from tests.app.cli.in_process import error_of, run, run_json
from tests.app.cli.processes import labeldist
from tests.app.cli.songs import FEATURES, FIT, LABELS


def test_predict_with_saved_enhancer(folder):
    table = pd.read_csv("in.csv")
    enhancer = BDLE().fit(table[FEATURES], table[LABELS])
    save(enhancer, "bdle.skops")
    run("predict", "bdle.skops", "new.csv", "-o", "p.csv")
    assert_allclose(pd.read_csv("p.csv")[LABELS], enhancer.transform(table[FEATURES]), rtol=1e-12)


def test_predict_without_feature_names_uses_the_order_of_columns(table):
    save(BDLDL().fit(table[FEATURES].to_numpy(), table[LABELS].to_numpy()), "m.skops")
    table[FEATURES].to_csv("new.csv", index=False)
    assert run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"]
    assert list(pd.read_csv("p.csv").columns) == [*FEATURES, "label_0", "label_1", "label_2"]
    assert "3 features" in error_of("predict", "m.skops", "dist.csv")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_predict_in_chunks_equals_the_whole_table(table, suffix, monkeypatch):
    name = f"new.{suffix}"
    columns = [*FEATURES, "title", "joy"]
    if suffix == "csv":
        table[columns].to_csv(name, index=False)
    else:
        table[columns].to_parquet(name)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    facts = run_json("predict", "model.skops", name, "-o", f"p.{suffix}", "--item", "title")
    assert facts["items"] == 120
    assert len(facts["notes"]) == 1  # about the overwritten column, once for all chunks
    monkeypatch.setattr(predict, "can_stream", lambda *_: False)
    run("predict", "model.skops", name, "-o", f"whole.{suffix}")
    assert_frame_equal(read_table(f"p.{suffix}"), read_table(f"whole.{suffix}"))


def test_errors_in_chunks_name_the_row(table, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    table[FEATURES[0]] = table[FEATURES[0]].astype(object)
    table.loc[70, FEATURES[0]] = "wrong"
    table.to_csv("new.csv", index=False)
    assert "row 71" in error_of("predict", "model.skops", "new.csv", "-o", "p.csv")
    assert not Path("p.csv").exists()
    assert "item" in error_of("predict", "model.skops", "dist.csv", "-o", "p.csv", "--item", "no")
    Path("empty.csv").write_text(",".join(FEATURES) + "\n")
    assert "no rows" in error_of("predict", "model.skops", "empty.csv", "-o", "p.csv")


def test_predict_names_the_columns_that_it_replaces(table):
    table.assign(fear="").drop(columns="calm").to_csv("new.csv", index=False)
    result = run("predict", "model.skops", "new.csv", "-o", "p.csv")
    assert "joy are overwritten by predictions" in result.stderr


def test_features_are_written_as_numbers(table):
    table["tempo"] = table["tempo"].map("{:.9e}".format)
    table.drop(columns="title").to_csv("dist.csv", index=False, sep=";")
    run(*FIT, "mean")
    run("predict", "m.skops", "dist.csv", "-o", "p.parquet")
    assert pd.read_parquet("p.parquet")["tempo"].dtype == float
    run("predict", "m.skops", "dist.csv", "-o", "p.npz")
    assert np.load("p.npz")["features"].shape == (120, 3)


def test_label_column_cannot_name_the_items(folder):
    error = error_of("predict", "model.skops", "dist.csv", "-o", "p.csv", "--item", "joy")
    assert "Column joy is a label already" in error
    assert not Path("p.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bad.parquet", "unreadable.csv"])
def test_damaged_table_has_no_traceback(folder, name):
    Path("bad.parquet").write_bytes(b"PAR1")
    Path("unreadable.csv").write_bytes(b"a,b\n\xff,1\n")
    process = labeldist("predict", "model.skops", name, "-o", "p.csv")
    assert process.returncode == 1
    assert process.stderr.startswith(f"labeldist: {name}")
    assert "Traceback" not in process.stderr
    assert not Path("p.csv").exists()
