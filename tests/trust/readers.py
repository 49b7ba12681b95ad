"""Every reader of files, with files that it can read, which the tests spoil."""

import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import scipy.io

from labeldist import BDLDL
from labeldist._tables.arff import arff_bytes, read_label_names
from labeldist._tables.tables import read_table
from labeldist.datasets import TableStream, load_dataset, read_mat
from labeldist.exceptions import TableError
from labeldist.models import load, read_card, save
from labeldist.votes import from_votes
from tests.cli.in_process import run as run_command
from tests.models.examples import fitted, mixed_model
from tests.trust.packings import Deflated, Plain, Zipped

X = np.array([[1.5, -2.0, 0.0], [0.25, 1e-8, 3.0], [1e6, 2.0, -1.0], [0.0, 0.0, 7.0]])
D = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.125, 0.875]])
FRAME = pd.DataFrame(np.hstack([X, D]), columns=["a", "b c", "ü", "joy", "fear"])
WORDS = FRAME.assign(city=["Rome", "Bern", None, "Oslo"], when=pd.Timestamp("2024-05-31"))


@dataclass(frozen=True)
class Reader:
    """A reader, the end of its files' names, and files that it can read, each with the packing of its parts."""

    name: str
    suffix: str
    read: Callable[[Path], Any]
    make: Callable[[], list[tuple[bytes, Any]]]
    stem: str = "file"

    @property
    def seeds(self) -> list[tuple[bytes, Any]]:
        return _made(self.name)


@cache
def _made(name: str) -> list[tuple[bytes, Any]]:
    return READERS[name].make()


def _written(write: Callable[[Any], None]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _mat() -> list[tuple[bytes, Any]]:
    arrays = {"features": X, "labels": D, "feature_names": np.array(["a", "b", "c"])}
    odd = {"features": np.array([{"a": 1}, [1, 2]], dtype=object), "labels": scipy.sparse.csc_array(D), "x": {"f": X}}
    v4 = _written(lambda file: scipy.io.savemat(file, {"features": X, "labels": D}, format="4"))
    plain, packed = (
        _written(lambda file, c=compress: scipy.io.savemat(file, arrays, do_compression=c))
        for compress in (False, True)
    )
    strange = _written(lambda file: scipy.io.savemat(file, odd, do_compression=True))
    return [(plain, Plain), (packed, Plain), (packed, Deflated), (strange, Deflated), (v4, Plain)]


def _csv() -> list[tuple[bytes, Any]]:
    text = WORDS.to_csv(index=False).encode()
    return [
        (text, Plain),
        (text.replace(b",", b";").replace(b"\n", b"\r\n"), Plain),
        (b'a,b\n"1,\n""2""",3\n\n4,5', Plain),
    ]


def _tsv() -> list[tuple[bytes, Any]]:
    return [(WORDS.to_csv(index=False, sep="\t").encode(), Plain)]


def _arrow_tables() -> tuple[pa.Table, pa.Table, pa.Table]:
    plain = pa.Table.from_pandas(FRAME)
    rich = pa.table(
        {
            "word": pa.array(["a", None, "c" * 40]),
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            "when": pa.array([1, 2, None], pa.timestamp("us", tz="UTC")),
            "exact": pa.array([Decimal("1.5"), None, Decimal(2)]),
            "raw": pa.array([b"a", b"", None]),
            "half": pa.array(np.array([1, 2, 3], dtype=np.float16)),
            "none": pa.nulls(3),
            "yes": pa.array([True, None, False]),
        }
    )
    nested = pa.table(
        {
            "list": pa.array([["x"], [], ["y", "z"]]),
            "both": pa.array([{"a": 1, "b": "x"}, None, {"a": 2, "b": "y"}]),
        }
    )
    return plain, rich, nested


def _parquet() -> list[tuple[bytes, Any]]:
    plain, rich, nested = _arrow_tables()
    files = [
        (plain, {}),
        (plain, {"compression": "none", "use_dictionary": False}),
        (rich, {"compression": "zstd"}),
        (rich, {"compression": "gzip", "row_group_size": 2, "data_page_version": "2.0"}),
        (nested, {}),
    ]
    return [(_written(lambda file, t=table, o=o: pa.parquet.write_table(t, file, **o)), Plain) for table, o in files]


def _feather() -> list[tuple[bytes, Any]]:
    plain, rich, nested = _arrow_tables()
    files = [(plain, "lz4"), (plain, "uncompressed"), (rich, "zstd"), (rich, "uncompressed"), (nested, "lz4")]
    return [
        (_written(lambda file, t=table, c=c: pa.feather.write_feather(t, file, compression=c)), Plain)
        for table, c in files
    ]


def _arff() -> list[tuple[bytes, Any]]:
    sparse = (
        b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@attribute l {0,1}\n@data\n"
        b"{0 1.5, 2 1}\n{1 'y z'}\n"
    )
    return [(arff_bytes(WORDS.astype({"when": str})), Plain), (sparse, Plain)]


def _xml() -> list[tuple[bytes, Any]]:
    return [
        (
            b'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">'
            b'<label name="sad"><label name="very &lt;sad&#233;"/></label><label name="calm"></label></labels>',
            Plain,
        )
    ]


def _txt() -> list[tuple[bytes, Any]]:
    return [("\ufeffsad\r\nvery sad\n\nüß\n".encode(), Plain)]


def _npz() -> list[tuple[bytes, Any]]:
    packed = _written(
        lambda file: np.savez_compressed(file, features=X, labels=D, label_names=np.array(["joy", "fear"]))
    )
    plain = _written(
        lambda file: np.savez(file, X=X.astype("f4"), D=D.astype(">f8"), feature_names=np.array(list("abc")))
    )
    return [(packed, Plain), (packed, Zipped), (plain, Zipped)]


def _votes() -> list[tuple[bytes, Any]]:
    return [(b"item,who,label,joy,fear\na,x,joy,1,0\na,y,fear,2,3\nb,x,joy,0,1\nb,y,calm,5,0\n", Plain)]


def _read_votes(path: Path) -> None:
    """Read votes in all three shapes; the first that is refused ends it."""
    frame = read_table(path)
    item, who, label, *counts = frame.columns if frame.shape[1] > 3 else ["item", "who", "label", "joy"]
    from_votes(frame, item=item, annotator=who, label=label)
    from_votes(frame, annotators=[who, label])
    from_votes(frame, labels=counts, smoothing=1)


def _typed_votes() -> list[tuple[bytes, Any]]:
    _, rich, _ = _arrow_tables()
    orders = ("word kind yes exact", "exact when none half", "kind word when exact", "raw yes none word")
    return [
        (_written(lambda file, o=order: pa.parquet.write_table(rich.select(o.split()), file)), Plain)
        for order in orders
    ]


COLUMNS_OF_VOTES = ("--item", "item", "--annotator", "who", "--label", "label")


def _run_votes(path: Path) -> None:
    """Call the command on a table of votes; what it says of a file that is wrong becomes an error again."""
    out = path.with_name("out.csv")
    result = run_command("votes", path, *COLUMNS_OF_VOTES, "-o", out, "--force", fails=True)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code:
        assert "Traceback" not in result.stderr
        raise TableError(result.stderr)


def _read_cached(path: Path) -> None:
    load_dataset("Yeast_cold", data_home=path.parent, download_if_missing=False)


def _model() -> list[tuple[bytes, Any]]:
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        for number, model in enumerate((fitted(BDLDL()), mixed_model())):
            path = Path(folder) / f"{number}.skops"
            save(model, path, summary="Ü", measures={"score": 0.5})
            contents.append(path.read_bytes())
    return [(content, packing) for content in contents for packing in (Zipped, Plain)]


def _read_model(path: Path) -> None:
    read_card(path)
    load(path)


def _read_stream(path: Path) -> None:
    stream = TableStream(path, labels=["joy", "fear"], chunk_rows=3)
    for _ in stream:
        pass
    for _ in TableStream(path, chunk_rows=2).chunks_of_features():
        pass


READERS = {
    reader.name: reader
    for reader in (
        Reader("mat", ".mat", read_mat, _mat),
        Reader("mat table", ".mat", read_table, _mat),
        Reader("csv", ".csv", read_table, _csv),
        Reader("tsv", ".tsv", read_table, _tsv),
        Reader("parquet", ".parquet", read_table, _parquet),
        Reader("feather", ".feather", read_table, _feather),
        Reader("arff", ".arff", read_table, _arff),
        Reader("npz", ".npz", read_table, _npz),
        Reader("xml of labels", ".xml", read_label_names, _xml),
        Reader("lines of labels", ".txt", read_label_names, _txt),
        Reader("votes", ".csv", _read_votes, _votes),
        Reader("votes of any type", ".parquet", _read_votes, _typed_votes),
        Reader("stream of csv", ".csv", _read_stream, _csv),
        Reader("stream of parquet", ".parquet", _read_stream, _parquet),
        Reader("votes command", ".csv", _run_votes, _votes),
        Reader("cached set", ".mat", _read_cached, _mat, "Yeast_cold"),
        Reader("model", ".skops", _read_model, _model),
    )
}
