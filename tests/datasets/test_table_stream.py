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
from labeldist.datasets import TableStream, make_artificial
from labeldist.exceptions import TableError
from labeldist.learning import SoftmaxRegression

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


def test_predictions_of_chunks_are_those_of_the_table(file, frame):
    model = BDLDL().fit(frame[["a", "b", "c"]], frame[LABELS])
    stream = TableStream(file, features=["a", "b", "c"], chunk_rows=60)
    predicted = np.vstack([model.predict(X) for X in stream.chunks_of_features()])
    assert_allclose(predicted, model.predict(frame[["a", "b", "c"]]), atol=1e-12)


def test_tables_keep_text_and_types(tmp_path):
    table = pd.DataFrame({"code": ["007", 'say "a, b"', "two\nlines"], "n": [1, 2, 3]})
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    for name, numbers in (("t.csv", ["1", "2", "3"]), ("t.parquet", [1, 2, 3])):
        chunks = list(TableStream(tmp_path / name, chunk_rows=2).tables())
        assert [len(chunk) for chunk in chunks] == [2, 1]
        assert pa.concat_tables(chunks).to_pydict() == {"code": list(table["code"]), "n": numbers}


def test_chunk_rows(file):
    lengths = [len(y) for _, y in TableStream(file, labels=LABELS, chunk_rows=70)]
    # The last chunk of each file is what remains.
    assert lengths == ([70, 70, 60, 70, 70, 70, 70, 20] if file.is_dir() else [70] * 7 + [10])


def test_csv_chunks_longer_and_shorter_than_blocks(tmp_path):
    path = tmp_path / "long.csv"
    values = np.random.default_rng(0).uniform(size=(40_000, 3))
    pd.DataFrame(values, columns=["a", "p", "q"]).to_csv(path, index=False)
    assert path.stat().st_size > 2 << 20
    for rows, n_chunks in ((10_000, 4), (30_000, 2)):
        chunks = list(TableStream(path, labels=["p", "q"], chunk_rows=rows))
        assert len(chunks) == n_chunks
        assert_allclose(np.vstack([np.hstack(chunk) for chunk in chunks]), values)


def test_saved_pandas_index_is_not_a_feature(frame, tmp_path):
    items = np.random.default_rng(0).permutation(500)  # a range would not be saved as a column
    frame.set_index(pd.Index(items, name="item")).to_parquet(tmp_path / "named.parquet")
    frame.set_index(items).to_parquet(tmp_path / "unnamed.parquet")
    frame.to_csv(tmp_path / "table.csv")
    for name in ("named.parquet", "unnamed.parquet", "table.csv"):
        assert TableStream(tmp_path / name, labels=LABELS).feature_names() == ["a", "b", "c"]


def test_numbered_files_are_read_in_the_order_of_numbers(frame, tmp_path):
    frame[:300].to_parquet(tmp_path / "part.9.parquet")
    frame[300:].to_parquet(tmp_path / "part.10.parquet")
    rows = np.vstack([X for X, _ in TableStream(tmp_path, labels=LABELS)])
    assert_allclose(rows, frame[["a", "b", "c"]])


def test_single_precision_is_kept(frame, tmp_path):
    frame.astype(np.float32).to_parquet(tmp_path / "single.parquet")
    X, y = next(iter(TableStream(tmp_path / "single.parquet", labels=LABELS)))
    assert X.to_numpy().dtype == np.float32
    assert y.to_numpy().dtype == np.float32


@pytest.mark.parametrize("options", [{"labels": "red"}, {"labels": []}])
def test_wrong_parameters(options):
    with pytest.raises((ValueError, TypeError), match=next(iter(options))):
        iter(TableStream("anything.parquet", **options))


def test_missing_files_and_columns(frame, tmp_path):
    for path in (tmp_path, tmp_path / "none.parquet"):
        with pytest.raises(TableError, match="parquet"):
            list(TableStream(path, labels=["p"]))
    frame.to_parquet(tmp_path / "0.parquet")
    frame.drop(columns="b").to_parquet(tmp_path / "1.parquet")
    with pytest.raises(TableError, match=r'1\.parquet .*"b"'):
        list(TableStream(tmp_path, labels=LABELS))


def test_column_of_words_is_named(frame, tmp_path):
    table = frame.assign(city="x")
    table.to_csv(tmp_path / "words.csv", index=False)
    table.to_parquet(tmp_path / "words.parquet")
    for name in ("words.csv", "words.parquet"):
        with pytest.raises(TableError, match=f"{name} .*'x'"):
            list(TableStream(tmp_path / name, labels=LABELS))
        assert len(list(TableStream(tmp_path / name, labels=LABELS, features=["a"]))) == 1


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("empty.csv", "", "Empty"),
        ("twice.csv", "a,a,red\n1,1,1\n", "duplicate columns: a"),
        ("not.parquet", "a,red\n1,2\n", ""),
    ],
)
def test_wrong_files_are_named(tmp_path, name, content, fact):
    (tmp_path / name).write_text(content)
    with pytest.raises(TableError, match=f"{name} .*{fact}"):
        list(TableStream(tmp_path / name, labels=["red"]))


PEAK_OF_ARROW = """
import sys
import pyarrow as pa
import pyarrow.parquet as pq
from labeldist import BDLDL
from labeldist.datasets import TableStream
BDLDL().fit_stream(TableStream(sys.argv[1], labels=["p", "q"], chunk_rows=5_000))
print(pa.default_memory_pool().max_memory())
pq.read_table(sys.argv[1])
print(pa.default_memory_pool().max_memory())
"""


@pytest.mark.slow
def test_memory_does_not_hold_the_table(tmp_path):
    rng = np.random.default_rng(0)
    names = [*(f"x{i}" for i in range(8)), "p", "q"]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pq.ParquetWriter(tmp_path / "long.parquet", schema) as writer:
        for _ in range(40):
            columns = rng.uniform(0.1, 1, size=(10, 10_000)).astype(np.float32)
            writer.write_table(pa.table(list(columns), schema=schema))
    # Arrow allocates outside of Python, and reports the peak of the process.
    command = [sys.executable, "-c", PEAK_OF_ARROW, str(tmp_path / "long.parquet")]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    streamed, whole = map(int, output.split())
    assert whole > 400_000 * 10 * 4  # The measure would show a table in memory.
    assert streamed < 0.1 * whole


@pytest.mark.parametrize("learner", [BDLDL(), SoftmaxRegression()], ids=repr)
@pytest.mark.parametrize(
    ("column", "value"), [("p", -0.2), ("p", np.nan), ("a", np.inf), ("b", np.nan)]
)
def test_wrong_values_are_named_by_row_and_column(learner, column, value, rng, tmp_path):
    table = pd.DataFrame(rng.random((400, 5)), columns=list("abcpq"))
    table.loc[300, column] = value
    table.to_parquet(tmp_path / "t.parquet")
    stream = TableStream(tmp_path / "t.parquet", labels=["p", "q"], chunk_rows=64)
    with pytest.raises(ValueError, match=rf"(?i), {value}, in row 300 .*, column '{column}'"):
        learner.fit_stream(stream)


def test_rows_of_zeros_are_named_by_row(rng, tmp_path):
    table = pd.DataFrame(rng.random((400, 4)), columns=list("abpq"))
    table.loc[300, ["p", "q"]] = 0
    table.to_parquet(tmp_path / "t.parquet")
    stream = TableStream(tmp_path / "t.parquet", labels=["p", "q"], chunk_rows=64)
    with pytest.raises(ValueError, match="only zeros in row 300 "):
        BDLDL().fit_stream(stream)


@pytest.mark.parametrize("change", ["cut", "longer", "other"])
def test_a_table_that_changes_between_passes_raises(change, rng):
    X = rng.normal(size=(90, 2))
    D = rng.dirichlet(np.ones(3), size=90)

    class Changing:
        passes = 0

        def __iter__(self):
            self.passes += 1
            chunks = [(X[i : i + 30], D[i : i + 30]) for i in (0, 30, 60)]
            if self.passes == 3:
                other = {"cut": chunks[:2], "longer": [*chunks, chunks[0]]}
                chunks = other.get(change, [*chunks[:2], chunks[0]])
            return iter(chunks)

    with pytest.raises(ValueError, match="has changed"):
        SoftmaxRegression().fit_stream(Changing())
