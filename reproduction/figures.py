"""Figures of the report, drawn with matplotlib and embedded as SVG images."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from labeldist.metrics import MEASURES
from reproduction.rules import ABLATION_MEASURES, GRIDS, SHOWN
from reproduction.significance import grid_points
from reproduction.tables import REFERENCE, Table


@dataclass(frozen=True)
class Figure:
    """A figure of the report: its title, its image as a data address, and its numbers."""

    title: str
    image: str
    numbers: pd.DataFrame


def embed(canvas: Canvas) -> str:
    """Return a drawing as the address of an SVG image."""
    file = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "labeldist"}):
        canvas.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"


def paper_figures(records: pd.DataFrame, tables: Iterable[Table]) -> list[Figure]:
    """Return the figures that the records allow: bars of the chains, heat maps, the ablation."""
    tables = list(tables)
    chains = [
        chain_figure(table)
        for table in tables
        if table.kind == "chain" and table.measure.name == "chebyshev"
    ]
    ablations = [
        ablation_figure(table)
        for table in tables
        if table.measure.name in ABLATION_MEASURES and _unidirectional(table) and _rivals(table)
    ]
    return [*chains, *heat_maps(records), *ablations]


def _means(table: Table) -> pd.DataFrame:
    """Return the means of a table: data sets × methods."""
    means = {dataset: [cell.mean for cell in row] for dataset, row in table.rows.items()}
    return pd.DataFrame.from_dict(means, orient="index", columns=list(table.methods)).rename_axis(
        "Set"
    )


def _bars(values: pd.DataFrame, title: str, label: str) -> Figure:
    canvas = Canvas(figsize=(10, 4), layout="constrained")
    axes = canvas.subplots()
    values.plot.bar(ax=axes, width=0.8, colormap="tab20")
    axes.set(title=title, xlabel="", ylabel=label)
    axes.legend(ncols=5, fontsize="small", frameon=False)
    axes.axhline(0, color="black", linewidth=0.8)
    return Figure(title, embed(canvas), values.reset_index())


def chain_figure(table: Table) -> Figure:
    """Draw the scores of a learner that is trained on the distributions of each enhancer."""
    label = f"{table.measure.title} {table.arrow}"
    return _bars(
        _means(table), f"{table.experiment}: enhancers before {table.variant}, {label}", label
    )


def ablation_figure(table: Table) -> Figure:
    """Draw the share of the distance that methods save against the unidirectional method."""
    distances = 1 - _means(table) if table.measure.higher_is_better else _means(table)
    base = _unidirectional(table)
    gains = 1 - distances[_rivals(table)].div(distances[base].replace(0, np.nan), axis=0)
    title = f"{table.heading}: gain over {base}, {table.measure.title}"
    return _bars(gains, title, f"share of the distance of {base} saved")


def _unidirectional(table: Table) -> str | None:
    return next((method for method in ("UD-LE", "UD-LDL") if method in table.methods), None)


def _rivals(table: Table) -> list[str]:
    base = _unidirectional(table)
    return [
        method
        for method, role in table.methods.items()
        if role != "trivial" and method not in (base, REFERENCE)
    ]


def heat_maps(records: pd.DataFrame) -> list[Figure]:
    """Draw the influence of the two weights of each model in the measures that the paper shows."""
    figures = []
    for (dataset, model, name), part in grid_points(records).groupby(
        ["dataset", "variant", "measure"], sort=False
    ):
        if name not in SHOWN or model not in GRIDS:
            continue
        second, row_symbol, column_symbol = GRIDS[model]
        grid = part.pivot_table(
            index="reconstruction", columns=second, values="value", dropna=False
        )
        measure = MEASURES[name]
        title = f"{model} on {dataset}, {measure.title} {'↑' if measure.higher_is_better else '↓'}"
        canvas = Canvas(figsize=(5, 4), layout="constrained")
        axes = canvas.subplots()
        image = axes.imshow(
            grid, cmap="viridis" if measure.higher_is_better else "viridis_r", aspect="auto"
        )
        axes.set_xticks(range(grid.shape[1]), [f"{value:g}" for value in grid.columns], rotation=45)
        axes.set_yticks(range(grid.shape[0]), [f"{value:g}" for value in grid.index])
        axes.set(
            title=title,
            xlabel=f"{column_symbol} ({second})",
            ylabel=f"{row_symbol} (reconstruction)",
        )
        canvas.colorbar(image)
        numbers = (
            grid.rename(columns=lambda value: f"{value:g}").reset_index().rename_axis(columns=None)
        )
        figures.append(Figure(title, embed(canvas), numbers))
    return figures


def critical_difference(ranks: dict[str, float], difference: float) -> str:
    """Draw average ranks on a line (Demšar); bars join methods that do not differ significantly."""
    names = sorted(ranks, key=lambda name: ranks[name])
    values = [ranks[name] for name in names]
    groups = cliques(values, difference)
    canvas = Canvas(figsize=(7, 0.25 * (len(names) + len(groups)) + 0.8))
    axes: Any = canvas.add_axes((0.02, 0.02, 0.96, 0.75))
    for place, (first, last) in enumerate(groups):
        axes.hlines(
            -0.6 - 0.6 * place,
            values[first] - 0.03,
            values[last] + 0.03,
            color="black",
            linewidth=3,
        )
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        height = -1 - 0.6 * len(groups) - place
        axes.vlines(value, height, 0, color="gray", linewidth=0.8)
        axes.text(value + 0.05, height, f"{name} {value:.2f}", fontsize=8, va="center")
    axes.set(xlim=(0.8, len(names) + 1.5), ylim=(-1.5 - 0.6 * len(groups) - len(names), 0))
    axes.set_xticks(range(1, len(names) + 1))
    axes.xaxis.tick_top()
    axes.yaxis.set_visible(False)
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    axes.set_title(f"average ranks, critical difference {difference:.2f}", fontsize=9)
    return embed(canvas)


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Return first and last places of maximal groups of ranks within the critical difference."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(place for place, other in enumerate(ranks) if other - rank <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
