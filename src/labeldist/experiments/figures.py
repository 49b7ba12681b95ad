"""The report's pictures, as SVG that stands inside a page.

Lines and text have the page's own colour (``currentColor``), so they are right in the dark, in the light and on paper.
Areas are coloured for all eyes: Okabe and Ito's palette for bars, viridis for heat maps, where brighter is better
whatever the measure's direction. Each picture has its description as ``aria-label``, and the parts that a pointer can
rest on have a ``title``.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from labeldist._typing import Array
from labeldist.plots._palette import ink_on, viridis
from labeldist.plots._text import power


def heat_map(
    values: Array,
    rows: Sequence[float],
    columns: Sequence[float],
    *,
    row_title: str,
    column_title: str,
    higher_is_better: bool,
    description: str,
) -> str:
    """Draw a grid of values with each number in its cell, the best one framed, and a legend below.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
        NaN where there is no value.
    rows, columns : sequences of float
        The parameters along the two sides; powers of ten are written as such.
    """
    wide, high, left, top = 58, 34, 66, 38
    width, height = left + wide * len(columns) + 8, top + high * len(rows) + 62
    finite = np.asarray(values)[np.isfinite(values)]
    low, top_value = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    worst, best = (low, top_value) if higher_is_better else (top_value, low)
    parts = [_text(left + wide * len(columns) / 2, 12, column_title, anchor="middle")]
    parts += [_text(left + wide * (j + 0.5), 31, power(column), anchor="middle") for j, column in enumerate(columns)]
    parts.append(_text(14, top + high * len(rows) / 2, row_title, anchor="middle", turned=-90))
    frames = []
    for i, row in enumerate(rows):
        y = top + high * i
        parts.append(_text(left - 8, y + high / 2 + 4, power(row), anchor="end"))
        for j, column in enumerate(columns):
            x, value = left + wide * j, float(values[i, j])
            if not math.isfinite(value):
                parts.append(_text(x + wide / 2, y + high / 2 + 4, "–", anchor="middle"))
                continue
            share = 1.0 if best == worst else (value - worst) / (best - worst)
            colour = viridis(share)
            hint = f"{row_title} {power(row)}, {column_title} {power(column)}: {value:.6g}"
            number = _text(x + wide / 2, y + high / 2 + 4, f"{value:.4f}", anchor="middle", fill=ink_on(colour))
            parts.append(f"<g><title>{escape(hint)}</title>{_box(x, y, wide, high, colour)}{number}</g>")
            if value == best:
                frames.append(
                    f'<rect x="{x + 2}" y="{y + 2}" width="{wide - 4}" height="{high - 4}" fill="none" '
                    f'stroke="{ink_on(colour)}" stroke-width="2.5"/>'
                )
    parts += frames
    y = top + high * len(rows) + 14
    steps = 48
    step = wide * len(columns) / steps
    parts += [_box(left + step * i, y, step + 0.5, 12, viridis(i / (steps - 1))) for i in range(steps)]
    parts.append(_text(left, y + 28, f"worst {worst:.4f}"))
    parts.append(_text(left + wide * len(columns), y + 28, f"best {best:.4f}, framed", anchor="end"))
    return _svg(width, height, description, parts)


def grouped_bars(
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    colours: Mapping[str, str],
    title: str,
    description: str,
    percent: bool = False,
) -> str:
    """Draw for each group a bar of every series, with the legend above; bars may hang below zero.

    Parameters
    ----------
    series : mapping of str to sequences of float
        One value a group; a missing one (NaN) is a small cross.
    title : str
        What the axis shows.
    percent : bool
        Whether the values are shares, to be written in per cent.
    """
    gap, left, plot = 16, 62, 250
    bar = max(5.0, min(9.0 + 30 / len(groups), (1060 / len(groups) - gap) / len(series)))
    band = bar * len(series) + gap
    width = left + band * len(groups) + 10
    legend, lines = _legend(colours, left, width)
    top = 22 * lines + 26
    values = np.array(list(series.values()), dtype=float)
    finite = values[np.isfinite(values)]
    ticks = nice_ticks(min(0.0, *finite) if finite.size else 0.0, max(0.0, *finite) if finite.size else 1.0)
    low, high = ticks[0], ticks[-1]

    def height_of(value: float) -> float:
        return top + plot * (high - value) / (high - low)

    parts = [*legend, _text(left - 50, top - 12, title)]
    for tick in ticks:
        y = height_of(tick)
        parts.append(_line(left, y, width - 10, y, opacity=0.8 if tick == 0 else 0.18))
        parts.append(_text(left - 8, y + 4, f"{tick:.0%}" if percent else f"{tick:g}", anchor="end"))
    for g, group in enumerate(groups):
        start = left + band * g + gap / 2
        for s, name in enumerate(series):
            x, value = start + bar * s, float(series[name][g])
            if not math.isfinite(value):
                parts.append(_text(x + bar / 2, height_of(0) - 3, "×", anchor="middle"))
                continue
            y, end = sorted((height_of(value), height_of(0)))
            shown = f"{value:+.1%}" if percent else f"{value:.4f}"
            hint = f"<title>{escape(f'{group}, {name}: {shown}')}</title>"
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar - 1:.1f}" height="{max(end - y, 0.5):.1f}" '
                f'fill="{colours[name]}">{hint}</rect>'
            )
        middle = start + bar * len(series) / 2
        parts.append(_text(middle + 6, top + plot + 16, group, anchor="end", turned=-32))
    return _svg(width, top + plot + 92, description, parts)


def critical_difference(ranks: Mapping[str, float], difference: float, *, description: str) -> str:
    """Draw Demšar's diagram: methods on the line of average ranks; a bar joins those closer than `difference`.

    Parameters
    ----------
    ranks : mapping of str to float
        The average rank of each of at least two methods.
    difference : float
        Average ranks further apart than this differ significantly.
    """
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    n, left, span, axis = len(ordered), 60 + 6.5 * max(map(len, ranks)), 380, 58
    groups = cliques([rank for _, rank in ordered], difference)
    first_label = axis + 24 + 8 * len(groups)
    half = (n + 1) // 2

    def place(rank: float) -> float:
        return left + span * (rank - 1) / (n - 1)

    parts = [
        _line(left, axis, left + span, axis),
        _line(left, 22, left + min(span * difference / (n - 1), span), 22, thickness=2.5),
        _text(left, 14, f"critical difference {difference:.2f}"),
    ]
    for tick in range(1, n + 1):
        parts.append(_line(place(tick), axis - 5, place(tick), axis))
        parts.append(_text(place(tick), axis - 10, str(tick), anchor="middle"))
    for level, (first, last) in enumerate(groups):
        y = axis + 10 + 8 * level
        parts.append(_line(place(ordered[first][1]) - 4, y, place(ordered[last][1]) + 4, y, thickness=4))
    for i, (name, rank) in enumerate(ordered):
        on_left = i < half
        y = first_label + 20 * (i if on_left else n - 1 - i)
        edge = left - 8 if on_left else left + span + 8
        parts.append(_line(place(rank), axis, place(rank), y) + _line(place(rank), y, edge, y))
        label = f"{name} {rank:.2f}" if on_left else f"{rank:.2f} {name}"
        parts.append(_text(edge - 5 if on_left else edge + 5, y + 4, label, anchor="end" if on_left else "start"))
    return _svg(2 * left + span, first_label + 20 * half, description, parts)


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Return the first and last places of the longest runs of sorted ranks that no difference separates."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(i for i, other in enumerate(ranks) if other - rank <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def nice_ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers, nine at most, that enclose the range.

    >>> nice_ticks(0, 0.33)
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35]
    """
    if low == high:
        high = low + 1.0
    rough = (high - low) / 7
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]


def _legend(colours: Mapping[str, str], left: float, width: float) -> tuple[list[str], int]:
    """Return the parts of a legend that fills lines from the left, and how many lines it took."""
    parts, x, line = [], left - 50, 0
    for name, colour in colours.items():
        needed = 30 + 7.2 * len(name)
        if x + needed > width and x > left:
            x, line = left - 50, line + 1
        parts.append(_box(x, 4 + 22 * line, 12, 12, colour) + _text(x + 17, 14 + 22 * line, name))
        x += needed
    return parts, line + 1


def _svg(width: float, height: float, description: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'role="img" aria-label="{escape(description)}" font-size="12">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", turned: int = 0, fill: str = "currentColor") -> str:
    turn = f' transform="rotate({turned} {x:.1f} {y:.1f})"' if turned else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{place}{turn} fill="{fill}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, *, thickness: float = 1, opacity: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" '
        f'stroke-width="{thickness}" stroke-opacity="{opacity}"/>'
    )


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'
