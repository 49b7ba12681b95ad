"""Links and names that would lead what is written out of the folder that was named."""

import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist._files import check_free, write_whole
from labeldist._tables.tables import FORMATS, write_table
from labeldist.datasets import write_parquet
from labeldist.exceptions import OutputError
from labeldist.models import save
from tests.models.examples import fitted

TABLE = pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 0.5]})

WRITERS = {
    "a page": ("page.html", lambda path: write_whole(path, b"new")),
    **{suffix: (f"table{suffix}", lambda path: write_table(TABLE, path)) for suffix in FORMATS},
    "chunks": ("chunks.parquet", lambda path: write_parquet(path, [np.eye(2)], ["a", "b"])),
    "a model": ("model.skops", lambda path: save(fitted(BDLDL()), path, force=True)),
}


@pytest.fixture
def elsewhere(tmp_path):
    """A file in another folder that nobody may touch."""
    path = tmp_path / "elsewhere" / "precious.txt"
    path.parent.mkdir()
    path.write_text("precious")
    return path


@pytest.mark.parametrize("writer", WRITERS)
def test_a_link_in_the_place_of_the_output_is_replaced_and_not_followed(tmp_path, elsewhere, writer):
    name, write = WRITERS[writer]
    (tmp_path / name).symlink_to(elsewhere)
    write(tmp_path / name)
    assert elsewhere.read_text() == "precious"
    assert not (tmp_path / name).is_symlink()
    assert (tmp_path / name).stat().st_size


def test_a_link_to_what_is_there_counts_as_there(tmp_path, elsewhere):
    (tmp_path / "out.csv").symlink_to(elsewhere)
    with pytest.raises(OutputError, match=r"out\.csv exists"):
        check_free(tmp_path / "out.csv")


@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_written_meanwhile_has_a_name_that_nobody_can_foresee(tmp_path, elsewhere, writer, monkeypatch):
    """Else a link of that name, put there before, would lead what is written anywhere."""
    import os

    name, write = WRITERS[writer]
    for guess in (f"{name}.part", f"{name}.{os.getpid()}.part", f".{name}.part", f"{name}.tmp"):
        (tmp_path / guess).symlink_to(elsewhere)
    write(tmp_path / name)
    assert elsewhere.read_text() == "precious"
    assert (tmp_path / name).stat().st_size
