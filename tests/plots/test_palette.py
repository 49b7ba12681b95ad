"""Colours can be told apart and read."""

import itertools
import math

import numpy as np
import pytest

from labeldist.plots._palette import HATCHES, MARKERS, MOST_STYLES, OKABE_ITO, ink_on, luminance, viridis


@pytest.mark.parametrize("share", np.linspace(0, 1, 101))
def test_numbers_on_viridis_have_enough_contrast(share):
    colour = viridis(share)
    lighter, darker = sorted((luminance(colour), luminance(ink_on(colour))), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_viridis_grows_brighter():
    shines = [luminance(viridis(share)) for share in np.linspace(0, 1, 50)]
    assert all(a < b for a, b in itertools.pairwise(shines))
    assert viridis(-1) == viridis(0)
    assert viridis(2) == viridis(1)


def test_there_is_a_hatch_and_a_marker_for_each_round_of_colours():
    assert len(set(OKABE_ITO)) == 7
    assert len(set(HATCHES)) == len(set(MARKERS)) == math.ceil(MOST_STYLES / len(OKABE_ITO))
