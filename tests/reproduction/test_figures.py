"""The pictures show their numbers, in colours that can be told apart and read."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from labeldist.experiments.figures import cliques, critical_difference, grouped_bars, heat_map, nice_ticks
from labeldist.plots._palette import OKABE_ITO, luminance, viridis


def parse(svg):
    return ElementTree.fromstring(svg)  # noqa: S314  # it is ours


def texts(svg):
    return [element.text for element in parse(svg).iter("text")]


def small_map(higher_is_better=False, values=((0.1, 0.2), (0.3, np.nan))):
    return heat_map(
        np.array(values),
        [0.01, 0.1],
        [1.0, 10.0],
        row_title="α",
        column_title="λ",
        higher_is_better=higher_is_better,
        description="A map",
    )


def test_a_heat_map_writes_every_number_and_names_both_sides():
    assert {"0.1000", "0.2000", "0.3000", "–", "10⁻²", "10⁻¹", "10⁰", "10¹", "α", "λ"} <= set(texts(small_map()))


@pytest.mark.parametrize(("higher_is_better", "best"), [(False, "0.1000"), (True, "0.3000")])
def test_the_best_point_is_brightest_and_framed(higher_is_better, best):
    root = parse(small_map(higher_is_better))
    fills = {cell.find("text").text: cell.find("rect").get("fill") for cell in root.iter("g")}
    assert fills[best] == viridis(1.0)
    assert max(fills, key=lambda number: luminance(fills[number])) == best
    (frame,) = (rect for rect in root.iter("rect") if rect.get("fill") == "none")
    (cell,) = (cell.find("rect") for cell in root.iter("g") if cell.find("text").text == best)
    assert abs(float(frame.get("x")) - float(cell.get("x"))) < 5
    assert abs(float(frame.get("y")) - float(cell.get("y"))) < 5


def test_a_map_of_one_value_is_drawn():
    assert "nan" not in small_map(values=((0.1, 0.1), (0.1, 0.1)))
    assert "nan" not in small_map(values=((np.nan, np.nan), (np.nan, np.nan)))


def bars(series, **options):
    colours = dict(zip(series, OKABE_ITO, strict=False))
    return grouped_bars(["one", "two"], series, colours=colours, title="Distance", description="Bars", **options)


def heights(svg):
    hints = {rect.find("title").text: rect for rect in parse(svg).iter("rect") if rect.find("title") is not None}
    return {hint: (float(rect.get("y")), float(rect.get("height"))) for hint, rect in hints.items()}


def test_bars_are_as_high_as_their_values():
    found = heights(bars({"A": [0.1, 0.2], "B": [0.3, 0.4]}))
    assert found["two, B: 0.4000"][1] == pytest.approx(4 * found["one, A: 0.1000"][1], abs=0.2)


def test_bars_below_zero_hang_from_the_line():
    found = heights(bars({"A": [0.1, -0.2]}, percent=True))
    up, down = found["one, A: +10.0%"], found["two, A: -20.0%"]
    assert down[0] == pytest.approx(up[0] + up[1], abs=0.11)
    assert down[1] == pytest.approx(2 * up[1], abs=0.2)


def test_a_missing_bar_is_a_cross():
    svg = bars({"A": [0.1, np.nan], "B": [0.1, 0.2]})
    assert texts(svg).count("×") == 1
    assert len(heights(svg)) == 3


def test_all_values_missing_is_no_error():
    assert texts(bars({"A": [np.nan, np.nan]})).count("×") == 2


def test_a_long_legend_takes_more_lines_and_stays_inside():
    svg = parse(bars({f"a rather long name {i}": [0.1, 0.2] for i in range(7)}))
    labels = [text for text in svg.iter("text") if text.text.startswith("a rather")]
    assert len({text.get("y") for text in labels}) > 1
    assert all(float(text.get("x")) + 7 * len(text.text) <= float(svg.get("width")) for text in labels)


def test_methods_closer_than_the_difference_are_joined():
    assert cliques([1.0, 2.0, 2.5, 4.0], 1.5) == [(0, 2), (2, 3)]
    assert cliques([1.0, 3.0], 1.5) == []
    assert cliques([1.0, 2.0, 3.0], 5.0) == [(0, 2)]


def test_the_diagram_names_each_method_with_its_rank():
    svg = critical_difference({"B": 2.25, "A": 1.5, "C & D": 2.25}, 1.0, description="Ranks")
    assert {"A 1.50", "B 2.25", "2.25 C & D", "critical difference 1.00"} <= set(texts(svg))
    thick = [line for line in parse(svg).iter("line") if line.get("stroke-width") == "4"]
    assert len(thick) == 1


@pytest.mark.parametrize(
    "svg", [small_map(), bars({"A<b>": [1, 2]}), critical_difference({"A": 1, "B": 2}, 1, description="x")]
)
def test_every_picture_is_described_and_takes_the_colour_of_its_page(svg):
    root = parse(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert "currentColor" in svg
    assert not re.search(r"https?:|url\(", svg)


def test_round_numbers_enclose_the_range():
    for low, high in [(0, 0.33), (-0.2, 0.11), (0, 7.3), (0, 0), (-3, 0), (0, 1e-6)]:
        ticks = nice_ticks(low, high)
        assert ticks[0] <= low
        assert ticks[-1] >= high
        assert 2 <= len(ticks) <= 9
        assert 0 in ticks
