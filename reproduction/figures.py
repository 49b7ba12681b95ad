"""Figures of the report, drawn with matplotlib and embedded as SVG images."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure as Canvas

from labeldist.comparison import Comparison
from labeldist.metrics import MEASURES
from labeldist.plots import ParameterInfluenceDisplay
from reproduction.rules import ABLATION_MEASURES, GRIDS, SHOWN
from reproduction.significance import by_dataset, grid_points, summary


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


def paper_figures(records: pd.DataFrame) -> list[Figure]:
    """Return the figures that the records allow: bars of the chains, heat maps, the ablation."""
    means = summary(records)
    blocks = means.groupby(["experiment", "kind", "variant", "measure"], sort=False)
    chains, ablations = [], []
    for (experiment, kind, variant, measure), rows in blocks:
        values = by_dataset(rows)
        heading = f"{experiment}, {variant}, {MEASURES[measure].title}"
        if kind == "chain" and measure == "chebyshev":
            chains.append(_bars(values, f"Enhancers before a learner: {heading}", "distance ↓"))
        base = next((method for method in ("UD-LE", "UD-LDL") if method in values), None)
        if base and measure in ABLATION_MEASURES:
            distances = by_dataset(rows[rows["role"] != "trivial"], "distance")
            rivals = distances.drop(columns=base)
            gains = 1 - rivals.div(distances[base], axis=0)
            ablations.append(_bars(gains, f"Gain over {base}: {heading}", f"share of {base} saved"))
    return [*chains, *heat_maps(records), *ablations]


def _bars(values: pd.DataFrame, title: str, label: str) -> Figure:
    canvas = Canvas(figsize=(10, 4), layout="constrained")
    axes = canvas.subplots()
    values.plot.bar(ax=axes, width=0.8, colormap="tab20")
    axes.set(title=title, xlabel="", ylabel=label)
    axes.legend(ncols=5, fontsize="small", frameon=False)
    return Figure(title, embed(canvas), values.reset_index())


def heat_maps(records: pd.DataFrame) -> Iterator[Figure]:
    """Draw the influence of the two weights of each model in the measures that the paper shows."""
    blocks = grid_points(records).groupby(["dataset", "variant", "measure"], sort=False)
    for (dataset, model, name), part in blocks:
        if name not in SHOWN or model not in GRIDS:
            continue
        grid = part.pivot_table(index="reconstruction", columns="other", values="value")
        measure = MEASURES[name]
        canvas = Canvas(figsize=(7, 5), layout="constrained")
        rows, columns = list(grid.index), list(grid.columns)
        title, rises = measure.title, measure.higher_is_better
        display = ParameterInfluenceDisplay(
            grid.to_numpy(), rows, columns, *GRIDS[model], title=title, higher_is_better=rises
        )
        display.plot(canvas.subplots())
        numbers = grid.rename(columns="{:g}".format).reset_index().rename_axis(columns=None)
        yield Figure(f"{model} on {dataset}, {measure.title}", embed(canvas), numbers)


def critical_differences(comparison: Comparison, measure: str) -> str:
    """Return the diagram of average ranks as the address of an image."""
    canvas = Canvas(figsize=(7, 0.3 * len(comparison.methods) + 1.5), layout="constrained")
    comparison.plot(measure, ax=canvas.subplots())
    return embed(canvas)
