"""The picture of average ranks."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from labeldist.plots import CriticalDifferenceDisplay


@pytest.mark.parametrize("n_methods", [3, 8, 32])
def test_names_cross_no_lines_and_stay_inside_the_figure(n_methods, rng):
    ranks = np.sort(rng.uniform(1, n_methods, n_methods))
    ranks[:2] = 1.5, 1.5
    named = {f"a method with a long name {k}": rank for k, rank in enumerate(ranks)}
    display = CriticalDifferenceDisplay(named, 1.0).plot()
    figure = display.figure_
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in display.ax_.texts]
    assert len(boxes) == n_methods
    for lines in display.ax_.collections:
        for path in lines.get_paths():
            ends = display.ax_.transData.transform(path.vertices)
            low, high = ends.min(axis=0), ends.max(axis=0)
            for box in boxes:
                is_beside = high[0] < box.x0 or low[0] > box.x1
                is_above_or_below = high[1] < box.y0 or low[1] > box.y1
                assert is_beside or is_above_or_below
    assert min(box.x0 for box in boxes) >= 0
    plt.close(figure)
