import pytest

from labeldist.plots._text import decimals, is_number, parameter_texts, power, share_of, shorten


def test_powers_of_ten_are_written_as_such():
    assert [power(value) for value in (1e-4, 1.0, 1000.0, 0.25, 0.0)] == ["10⁻⁴", "10⁰", "10³", "0.25", "0"]


def test_long_names_keep_both_ends_and_take_one_line():
    name = "emotion of the second annotator 17"
    short = shorten(name, 15)
    assert len(short) == 15
    assert short.startswith("emotion")
    assert short.endswith(" 17")
    assert shorten("two\nlines\tand more") == "two lines and more"
    assert shorten(12) == "12"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.01, 1.0, 10], ["10⁻²", "10⁰", "10¹"]),
        ([0.01, 0.02], ["0.01", "0.02"]),
        ([0, 0.1], ["0", "0.1"]),
        ([1 / 30], ["0.0333"]),
        (["clip", None, True, 10], ["clip", "None", "True", "10¹"]),
    ],
)
def test_values_of_a_parameter_are_written_alike(values, expected):
    assert parameter_texts(values) == expected


def test_numbers_are_what_has_a_place_on_an_axis():
    assert is_number(3)
    assert is_number(0.5)
    assert not any(map(is_number, [True, "3", None, float("nan"), float("inf"), [1]]))


def test_decimals_show_the_digits_that_matter():
    assert [decimals(value) for value in (123.0, 1.5, -0.0432, 1e-9, float("nan"))] == [0, 2, 4, 4, 4]
    assert decimals(0.0038, significant=2, most=6) == 4


@pytest.mark.parametrize("which", ["first", "ambiguous", "worst", "spread", "strongest"])
def test_a_share_says_how_many_of_how_many(which):
    said = share_of(40, 2000, which, "feature")
    assert "40" in said
    assert "2,000 features" in said
    assert share_of(1, 1, which) == "1 item"
