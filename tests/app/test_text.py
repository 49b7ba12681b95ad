"""Cells as text, and parts of messages."""

from labeldist.app.text import cell_at, counted, shortened, word


def test_words():
    assert [word(cell) for cell in (3, 3.0, " 3 ", 2.5)] == ["3", "3", "3", "2.5"]


def test_shortened_text_is_in_quotes():
    assert shortened("I think") == "'I think'"
    assert shortened("ab" * 30) == f"'{'ab' * 20}…'"
    assert shortened(list("abc") * 10) == "['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b',…"


def test_places_and_counts():
    assert cell_at(0, "joy") == "The cell in data row 1, column 'joy',"
    assert counted(1, "vote") == "1 vote"
    assert counted(1500, "vote") == "1,500 votes"
