import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import Normalize, to_hex

from labeldist.plots._heat import colour_of, heat_map, size_of
from labeldist.plots._palette import GREY, ink_on
from tests.plots.looks import tick_texts

VALUES = np.array([[0.0, 1.0], [0.25, np.nan], [-0.0001, 0.5]])


def draw(values=VALUES, decimals=2, size=(6, 4)):
    ax = plt.figure(figsize=size).subplots()
    names = [f"row {i}" for i in range(len(values))], [f"column {j}" for j in range(values.shape[1])]
    return ax, heat_map(
        ax, values, *names, colours="viridis", norm=Normalize(0, 1), title="what it is", decimals=decimals
    )


def test_cells_have_their_values_first_row_on_top():
    ax, drawn = draw()
    np.testing.assert_array_equal(drawn.image.get_array().filled(np.nan), VALUES)
    assert tick_texts(ax, "y") == ["row 0", "row 1", "row 2"]
    assert tick_texts(ax, "x") == ["column 0", "column 1"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert drawn.colorbar.ax.get_ylabel() == "what it is"


def test_numbers_stand_in_their_cells_and_can_be_read():
    _, drawn = draw()
    written = [[text.get_text() for text in row] for row in drawn.text]
    assert written == [["0.00", "1.00"], ["0.25", "–"], ["0.00", "0.50"]]
    for place, text in np.ndenumerate(drawn.text):
        assert text.get_position() == place[::-1]
        assert text.get_color() == ink_on(colour_of(drawn.image, VALUES[place]))


def test_a_missing_value_is_grey():
    _, drawn = draw()
    assert colour_of(drawn.image, np.nan) == GREY
    assert colour_of(drawn.image, 1.0) == to_hex(plt.colormaps["viridis"](1.0))


@pytest.mark.parametrize("change", [{"size": (0.8, 4)}, {"size": (6, 0.5)}, {"values": np.zeros((20, 20))}])
def test_numbers_without_room_are_left_out(change):
    _, drawn = draw(**change)
    assert not drawn.text.any()


def test_figures_grow_with_their_tables_but_not_without_end():
    assert size_of(3, 3) < size_of(30, 20)
    assert size_of(1000, 1000) == (14, 14)
