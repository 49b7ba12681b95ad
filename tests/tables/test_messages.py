"""Parts of error messages."""

from labeldist._tables.messages import listed


def test_long_lists_of_names_are_shortened():
    assert listed("abc", 3) == "a, b, c"
    assert listed("abc", 2) == "a, b and 1 more"
