"""Streams of table chunks."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from labeldist import BDLDL
from labeldist.datasets import TableStream, make_artificial, write_parquet
from labeldist.exceptions import DatasetNotFoundError, TableError

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


def test_fit_stream_equals_fit(file, frame):
    stream = TableStream(file, labels=LABELS, chunk_rows=100)
    whole = BDLDL().fit(frame[["a", "b", "c"]], frame[LABELS])
    for _ in range(2):  # A stream can be read again.
        model = BDLDL().fit_stream(stream)
        assert_allclose(model.coef_, whole.coef_, atol=1e-10)
    assert model.label_names_ == LABELS
    assert list(model.feature_names_in_) == ["a", "b", "c"]


def test_predictions_are_written_in_chunks(file, frame, tmp_path):
    model = BDLDL().fit(frame[["a", "b", "c"]], frame[LABELS])
    stream = TableStream(file, features=["a", "b", "c"], chunk_rows=60)
    out = tmp_path / "degrees.parquet"
    assert write_parquet(out, map(model.predict, stream.chunks_of_features()), model.label_names_) == 500
    assert_allclose(pd.read_parquet(out)[LABELS], model.predict(frame[["a", "b", "c"]]), atol=1e-12)


def test_chunk_rows(file):
    lengths = [len(y) for _, y in TableStream(file, labels=LABELS, chunk_rows=70)]
    # The last chunk of each file is what remains.
    assert lengths == ([70, 70, 60, 70, 70, 70, 70, 20] if file.is_dir() else [70] * 7 + [10])


def test_csv_chunks_longer_and_shorter_than_blocks(tmp_path):
    path = tmp_path / "long.csv"
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.uniform(size=(60_000, 3)), columns=["a", "p", "q"])
    table.to_csv(path, index=False)
    assert path.stat().st_size > 3 << 20
    for rows in (1_000, 50_000):
        chunks = list(TableStream(path, labels=["p", "q"], chunk_rows=rows))
        assert [len(y) for _, y in chunks] == [rows] * (60_000 // rows) + [60_000 % rows] * (60_000 % rows > 0)
        assert_allclose(np.vstack([np.hstack([x, y]) for x, y in chunks]), table)


def test_saved_pandas_index_is_not_a_feature(frame, tmp_path):
    items = np.random.default_rng(0).permutation(500)  # a range would not be saved as a column
    named, unnamed = frame.set_index(pd.Index(items, name="item")), frame.set_index(items)
    named.to_parquet(tmp_path / "named.parquet")
    unnamed.to_parquet(tmp_path / "unnamed.parquet")
    pq.write_table(pq.read_table(tmp_path / "unnamed.parquet").replace_schema_metadata(), tmp_path / "bare.parquet")
    unnamed.to_csv(tmp_path / "table.csv")
    pd.read_csv(tmp_path / "table.csv").to_csv(tmp_path / "again.csv", index=False)
    for name in ("named.parquet", "unnamed.parquet", "bare.parquet", "table.csv", "again.csv"):
        assert TableStream(tmp_path / name, labels=LABELS).feature_names() == ["a", "b", "c"]
    X, y = next(iter(TableStream(tmp_path / "named.parquet", labels=["green"], features=["item", "a"])))
    assert (list(X.columns), list(y.columns)) == (["item", "a"], ["green"])
    assert_allclose(X["item"], items)


def test_numbered_files_are_read_in_the_order_of_numbers(frame, tmp_path):
    for part in range(12):
        frame[part * 10 : part * 10 + 10].to_parquet(tmp_path / f"part.{part}.parquet")
    rows = np.vstack([X for X, _ in TableStream(tmp_path, labels=LABELS)])
    assert_allclose(rows, frame[["a", "b", "c"]][:120])


def test_single_precision_is_kept(frame, tmp_path):
    frame.astype(np.float32).to_parquet(tmp_path / "single.parquet")
    X, y = next(iter(TableStream(tmp_path / "single.parquet", labels=LABELS)))
    assert X.to_numpy().dtype == np.float32
    assert y.to_numpy().dtype == np.float32


def test_files_that_cannot_be_read(frame, tmp_path):
    with pytest.raises(DatasetNotFoundError, match="none"):
        list(TableStream(tmp_path / "none.parquet", labels=["p"]))
    (tmp_path / "table.txt").write_text("a")
    with pytest.raises(TableError, match=r"table\.txt"):
        list(TableStream(tmp_path / "table.txt", labels=["p"]))
    frame.to_parquet(tmp_path / "table.parquet")
    with pytest.raises(TableError, match=r"purple.* red, green"):
        list(TableStream(tmp_path / "table.parquet", labels=["purple"]))


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"chunk_rows": 1.5}, "chunk_rows .*1.5"),
        ({"labels": "red"}, "labels .*'red'"),
        ({}, r"labels=\[\.\.\.\]"),
        ({"labels": ["red", "red"]}, "red"),
        ({"labels": ["red"], "features": ["a", "red"]}, "red"),
    ],
)
def test_wrong_parameters(options, facts):
    with pytest.raises(ValueError, match=facts):
        list(TableStream("anything.parquet", **options))


def test_column_of_words_is_named(frame, tmp_path):
    table = frame.assign(city=["x"] * 500)
    table.to_csv(tmp_path / "words.csv", index=False)
    table.to_parquet(tmp_path / "words.parquet")
    with pytest.raises(TableError, match=r"words\.csv .*column #6.*'x'"):
        list(TableStream(tmp_path / "words.csv", labels=LABELS))
    with pytest.raises(TableError, match=r"city of .*words\.parquet .*string"):
        list(TableStream(tmp_path / "words.parquet", labels=LABELS))
    assert len(list(TableStream(tmp_path / "words.csv", labels=LABELS, features=["a"]))) == 1


def test_all_files_are_checked_before_the_first_is_read(frame, tmp_path):
    frame.to_parquet(tmp_path / "0.parquet")
    frame.drop(columns="b").to_parquet(tmp_path / "1.parquet")
    with pytest.raises(TableError, match=r"1\.parquet .* b\. .* red, green, blue, a, c"):
        next(iter(TableStream(tmp_path, labels=LABELS)))


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("empty.csv", "", "Empty"),
        ("ragged.csv", "a,red\n1,2\n1\n", "Expected 2 columns, got 1"),
        ("twice.csv", "a,a,red\n1,1,1\n", "more than one column a"),
        ("only.csv", "red\n1\n", "red"),
        ("not.parquet", "a,red\n1,2\n", ""),
    ],
)
def test_wrong_files_are_named(tmp_path, name, content, fact):
    (tmp_path / name).write_text(content)
    with pytest.raises(TableError, match=f"{name} .*{fact}"):
        list(TableStream(tmp_path / name, labels=["red"]))


def test_interrupted_writer_keeps_the_old_file(tmp_path):
    out = tmp_path / "degrees.parquet"
    write_parquet(out, [np.eye(3)], LABELS)

    def broken():
        yield np.eye(3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parquet(out, broken(), LABELS)
    assert len(pd.read_parquet(out)) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["degrees.parquet"]


PEAK_OF_ARROW = """
import sys
import pyarrow as pa
from labeldist import BDLDL
from labeldist.datasets import TableStream
BDLDL().fit_stream(TableStream(sys.argv[1], labels=["p", "q"], chunk_rows=5_000))
print(pa.default_memory_pool().max_memory())
if len(sys.argv) > 2:
    import pyarrow.parquet as pq
    pq.read_table(sys.argv[1])
    print(pa.default_memory_pool().max_memory())
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_table(tmp_path):
    rng = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float32()) for name in [*(f"x{i}" for i in range(8)), "p", "q"]])
    peaks = []
    for pieces in (4, 40):
        path = tmp_path / f"{pieces}.parquet"
        with pq.ParquetWriter(path, schema) as writer:
            for _ in range(pieces):
                columns = rng.uniform(0.1, 1, size=(10, 10_000)).astype(np.float32)
                writer.write_table(pa.table(list(columns), schema=schema))
        # Arrow allocates outside of Python, and reports the peak of the process.
        command = [sys.executable, "-c", PEAK_OF_ARROW, str(path), *(["whole"] if pieces == 40 else [])]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        peaks += map(int, output.split())
    short, long, whole = peaks
    assert whole > 400_000 * 10 * 4  # The measure would show a table in memory.
    assert long < 1.5 * short
    assert long < 0.3 * whole
