"""Notes, errors and the kinds of columns as the commands print them."""

import numpy as np
import pandas as pd
import pytest

from labeldist.app.cli.reporter import HINTS, text_of
from labeldist.exceptions import Hint, LabelWarning, OutputError
from tests.app.cli.in_process import run
from tests.app.cli.songs import FIT

HINT_TEXTS = [text for name, text in vars(Hint).items() if name.isupper()]


@pytest.mark.parametrize("hint", HINT_TEXTS)
def test_every_hint_names_an_option_or_a_command(hint):
    text = text_of(LabelWarning("Something may be wrong.", hint=hint))
    assert text == f"Something may be wrong. {HINTS[hint]}"
    assert "--" in text or "labeldist " in text


def test_errors_without_a_known_hint_keep_their_text():
    assert text_of(ValueError("wrong")) == "wrong"
    assert text_of(OutputError("No space.", hint="Delete files.")) == "No space. Delete files."


def test_many_columns_share_lines(table):
    table = table.join(pd.DataFrame(np.arange(60000.0).reshape(120, 500) % 7).add_prefix("n"))
    table["place"] = ["north", "south"] * 60
    table.to_csv("dist.csv", index=False)
    result = run(*FIT, "mean", "--prepare", "--ignore", "title")
    assert "  tempo, loudness, pitch, n0, n1 and 498 more: number" in result.stderr
    assert "  place: category: 2 values" in result.stderr
    assert len(result.stderr.splitlines()) < 10
