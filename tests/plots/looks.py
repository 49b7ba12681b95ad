"""What is drawn, read back from a picture."""

import numpy as np
from matplotlib.colors import to_hex


def tick_texts(ax, side):
    return [text.get_text() for text in getattr(ax, f"get_{side}ticklabels")()]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def heights(bars):
    """The heights of stacked vertical bars, (n_bars, n_parts)."""
    return np.array([[patch.get_height() for patch in container] for container in bars]).T


def lengths(bars):
    """The lengths of stacked horizontal bars, (n_bars, n_parts)."""
    return np.array([[patch.get_width() for patch in container] for container in bars]).T


def colours(bars):
    return [to_hex(container[0].get_facecolor()) for container in bars]


def hatches(bars):
    return [container[0].get_hatch() or "" for container in bars]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def overlapping(artists, figure):
    """Pairs of texts that stand on each other."""
    figure.draw_without_rendering()
    boxes = [(artist.get_text(), artist.get_window_extent()) for artist in artists if artist.get_text()]
    return [
        (first, second)
        for i, (first, box) in enumerate(boxes)
        for second, other in boxes[i + 1 :]
        if box.x0 < other.x1 - 1 and other.x0 < box.x1 - 1 and box.y0 < other.y1 - 1 and other.y0 < box.y1 - 1
    ]


def inside(artists, figure):
    """Whether nothing of any artist is cut off at the edge of the figure."""
    figure.draw_without_rendering()
    page = figure.bbox
    boxes = [artist.get_window_extent() for artist in artists]
    return all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.x1 and box.y1 <= page.y1 for box in boxes)
