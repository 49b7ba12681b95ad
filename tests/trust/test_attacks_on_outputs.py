"""Output paths with symbolic links, and files that appear while a command is running."""

import numpy as np
import pandas as pd
import pytest

from labeldist import BDLDL
from labeldist._files import write_whole
from labeldist._tables.tables import write_table
from labeldist.datasets import write_parquet
from labeldist.models import save
from labeldist.votes import from_votes
from tests.cli.in_process import run
from tests.models.examples import fitted

TABLE = pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 0.5]})

WRITERS = {
    "page": ("page.html", lambda path: write_whole(path, b"new")),
    "table": ("table.csv", lambda path: write_table(TABLE, path)),
    "chunks": ("chunks.parquet", lambda path: write_parquet(path, [np.eye(2)], ["a", "b"])),
    "model": ("model.skops", lambda path: save(fitted(BDLDL()), path, force=True)),
}


@pytest.fixture
def elsewhere(tmp_path):
    """A file in another folder, which must not change."""
    path = tmp_path / "elsewhere" / "precious.txt"
    path.parent.mkdir()
    path.write_text("precious")
    return path


@pytest.mark.parametrize("writer", WRITERS)
def test_links_are_replaced_and_not_followed(tmp_path, elsewhere, writer):
    name, write = WRITERS[writer]
    output = tmp_path / name
    output.symlink_to(elsewhere)
    write(output)
    assert elsewhere.read_text() == "precious"
    assert not output.is_symlink()
    assert output.stat().st_size


def test_file_that_appears_while_a_command_runs_is_not_overwritten(tmp_path, monkeypatch):
    def slow_from_votes(*arguments, **options):
        output.write_text("other")
        return from_votes(*arguments, **options)

    monkeypatch.setattr("labeldist.cli.votes.from_votes", slow_from_votes)
    table, output = tmp_path / "votes.csv", tmp_path / "out.csv"
    table.write_text("joy,fear\n1,2\n")
    command = ("votes", table, "--counts", "joy,fear", "-o", output)
    result = run(*command, fails=True)
    assert (result.exit_code, output.read_text()) == (1, "other")
    assert "out.csv" in result.stderr
    run(*command, "--force")
    assert output.read_text() != "other"
