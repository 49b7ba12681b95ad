"""Functions that read drawn data from axes."""

import numpy as np


def tick_texts(ax, side):
    return [text.get_text() for text in getattr(ax, f"get_{side}ticklabels")()]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def lengths(bars):
    """Return the lengths of stacked bars, one row per bar and one column per part."""
    return np.array([[patch.get_width() for patch in container] for container in bars]).T


def texts(ax):
    return [text.get_text() for text in ax.texts]
