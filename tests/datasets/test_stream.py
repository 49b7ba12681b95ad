import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL
from labeldist.datasets import TableStream, make_artificial, write_parquet
from labeldist.exceptions import DatasetError, DatasetNotFoundError

LABELS = ["red", "green", "blue"]


@pytest.fixture
def frame():
    X, D = make_artificial(500, random_state=0)
    return pd.DataFrame(np.hstack([D, X]), columns=[*LABELS, "a", "b", "c"])


@pytest.fixture(params=["parquet", "csv", "folder"])
def file(request, frame, tmp_path):
    path = tmp_path / f"table.{request.param}"
    if request.param == "csv":
        frame.to_csv(path, index=False)
    elif request.param == "parquet":
        frame.to_parquet(path, row_group_size=90)
    else:
        path.mkdir()
        frame[:200].to_parquet(path / "0.parquet")
        frame[200:].to_parquet(path / "1.parquet")
    return path


def test_the_model_is_that_of_the_whole_table(file, frame):
    stream = TableStream(file, labels=LABELS, chunk_rows=100)
    whole = BDLDL().fit(frame[["a", "b", "c"]], frame[LABELS])
    for _ in range(2):  # a stream can be read again
        model = BDLDL().fit_stream(stream)
        assert_allclose(model.coef_, whole.coef_, atol=1e-10)
    assert model.label_names_ == LABELS
    assert list(model.feature_names_in_) == ["a", "b", "c"]


def test_predictions_are_written_chunk_by_chunk(file, frame, tmp_path):
    model = BDLDL().fit(frame[["a", "b", "c"]], frame[LABELS])
    stream = TableStream(file, features=["a", "b", "c"], chunk_rows=60)
    out = tmp_path / "degrees.parquet"
    assert write_parquet(out, map(model.predict, stream.chunks_of_features()), model.label_names_) == 500
    assert_allclose(pd.read_parquet(out)[LABELS], model.predict(frame[["a", "b", "c"]]), atol=1e-12)


def test_chunks_are_no_longer_than_asked_for(file):
    lengths = [len(y) for _, y in TableStream(file, labels=LABELS, chunk_rows=70)]
    assert max(lengths) <= 70
    assert sum(lengths) == 500


def test_features_can_be_chosen_and_ordered(file):
    X, y = next(iter(TableStream(file, labels=["green"], features=["c", "a"])))
    assert list(X.columns) == ["c", "a"]
    assert list(y.columns) == ["green"]


def test_single_precision_is_kept(frame, tmp_path):
    frame.astype(np.float32).to_parquet(tmp_path / "single.parquet")
    X, y = next(iter(TableStream(tmp_path / "single.parquet", labels=LABELS)))
    assert X.to_numpy().dtype == np.float32
    assert y.to_numpy().dtype == np.float32


def test_what_cannot_be_read_is_said(frame, tmp_path):
    with pytest.raises(DatasetNotFoundError, match="There is no file"):
        list(TableStream(tmp_path / "none.parquet"))
    (tmp_path / "table.txt").write_text("a")
    with pytest.raises(DatasetError, match=r"is no \.parquet or \.csv file"):
        list(TableStream(tmp_path / "table.txt"))
    frame.to_parquet(tmp_path / "table.parquet")
    with pytest.raises(DatasetError, match="has no column purple; it has red, green"):
        list(TableStream(tmp_path / "table.parquet", labels=["purple"]))


def test_an_interrupted_writer_leaves_what_was_there(tmp_path):
    out = tmp_path / "degrees.parquet"
    write_parquet(out, [np.eye(3)], LABELS)

    def broken():
        yield np.eye(3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parquet(out, broken(), LABELS)
    assert len(pd.read_parquet(out)) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["degrees.parquet"]


def test_memory_does_not_grow_with_the_table(tmp_path):
    path = tmp_path / "long.parquet"
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(8)]
    schema = pa.schema([(name, pa.float32()) for name in [*names, "p", "q"]])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(40):
            columns = rng.uniform(0.1, 1, size=(10, 10_000)).astype(np.float32)
            writer.write_table(pa.table(list(columns), schema=schema))
    tracemalloc.start()
    BDLDL().fit_stream(TableStream(path, labels=["p", "q"], chunk_rows=5_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.3 * 400_000 * 10 * 4
