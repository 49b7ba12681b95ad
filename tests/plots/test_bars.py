"""Stacked bars: what is in them, and which labels have a part of their own."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from labeldist.plots._bars import Style, group_labels, most_ambiguous, stacked_bars, style_of
from labeldist.plots._palette import GREY, HATCHES, MARKERS, OKABE_ITO
from tests.plots.looks import colours, hatches, heights, lengths


def test_all_labels_have_a_part_if_they_can():
    parts = group_labels(np.array([[0.2, 0.8]]), ["joy", "fear"])
    assert parts.names == ["joy", "fear"]
    np.testing.assert_array_equal(parts.of(np.array([[0.2, 0.8]])), [[0.2, 0.8]])


def test_the_smallest_labels_are_taken_together(rng):
    D = rng.dirichlet([0.1, 5, 1, 0.2, 3], 10)
    parts = group_labels(D, list("abcde"), max_labels=4)
    assert parts.names == ["b", "c", "e", "other (2 labels)"]
    np.testing.assert_allclose(parts.of(D), np.column_stack([D[:, [1, 2, 4]], D[:, 0] + D[:, 3]]))
    assert [style.colour for style in parts.styles] == [*OKABE_ITO[:3], GREY]


@pytest.mark.parametrize("max_labels", [0, 1, 22])
def test_so_many_labels_cannot_be_told_apart(max_labels):
    with pytest.raises(ValueError, match="max_labels must be between 2 and 21"):
        group_labels(np.array([[1.0]]), ["a"], max_labels)


def test_no_two_labels_look_alike():
    styles = [style_of(place) for place in range(21)]
    assert len(set(styles)) == 21
    assert styles[0] == Style(OKABE_ITO[0], "", "o")
    assert styles[7] == Style(OKABE_ITO[0], HATCHES[1], MARKERS[1])


@pytest.mark.parametrize(("horizontal", "read"), [(True, lengths), (False, heights)])
def test_parts_lie_end_to_end(rng, horizontal, read):
    D = rng.dirichlet(np.ones(9), 5)
    ax = plt.figure().subplots()
    bars = stacked_bars(ax, range(5), D, [style_of(k) for k in range(9)], horizontal=horizontal)
    np.testing.assert_allclose(read(bars), D)
    starts = [[patch.get_x() if horizontal else patch.get_y() for patch in container] for container in bars]
    np.testing.assert_allclose(np.transpose(starts), np.cumsum(D, axis=1) - D, atol=1e-12)
    assert colours(bars) == [*OKABE_ITO, *OKABE_ITO[:2]]
    assert hatches(bars)[6:] == ["", "////", "////"]


def test_the_most_ambiguous_comes_first():
    D = np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0.0]])
    assert most_ambiguous(D).tolist() == [1, 2, 0]
    assert most_ambiguous(np.ones((3, 1))).tolist() == [0, 1, 2]
