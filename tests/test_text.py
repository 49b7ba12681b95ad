"""Parts of error messages."""

from labeldist._text import listed, shortened


def test_long_lists_of_names_are_shortened():
    assert listed("abc", 3) == "a, b, c"
    assert listed("abc", 2) == "a, b and 1 more"


def test_shortened_text_is_in_quotes():
    assert shortened("I think") == "'I think'"
    assert shortened("ab" * 30) == f"'{'ab' * 20}…'"
    assert shortened(list("abc") * 10) == "['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b',…"
