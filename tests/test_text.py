"""Names as text, and parts of error messages."""

from labeldist._text import clean, listed, shortened, word
from labeldist.utils import name_of


def test_words_and_clean_text():
    assert [word(cell) for cell in (3, 3.0, " 3 ", 2.5)] == ["3", "3", "3", "2.5"]
    assert clean(" a\u200b  b\u0301 ") == "a b́"
    assert clean(3) == 3


def test_names_that_are_equal_numbers_are_equal():
    assert [name_of(cell) for cell in (3, 3.0, "3.0", "3.50")] == ["3", "3", "3", "3.50"]


def test_long_lists_of_names_are_shortened():
    assert listed("abc", 3) == "a, b, c"
    assert listed("abc", 2) == "a, b and 1 more"


def test_shortened_text_is_in_quotes():
    assert shortened("I think") == "'I think'"
    assert shortened("ab" * 30) == f"'{'ab' * 20}…'"
    assert shortened(list("abc") * 10) == "['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b',…"
