"""Hints of the library as the commands print them."""

import pytest

from labeldist.app.cli.reporter import HINTS, text_of
from labeldist.exceptions import Hint, LabelWarning, OutputError


@pytest.mark.parametrize("hint", list(Hint))
def test_every_hint_names_an_option_or_a_command(hint):
    text = text_of(LabelWarning("Something may be wrong.", hint=hint))
    assert text == f"Something may be wrong. {HINTS[hint]}"
    assert "--" in text or "labeldist " in text


def test_errors_without_a_known_hint_keep_their_text():
    assert text_of(ValueError("wrong")) == "wrong"
    assert text_of(OutputError("No space.", hint="Delete files.")) == "No space. Delete files."
