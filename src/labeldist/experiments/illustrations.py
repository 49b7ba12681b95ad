"""The paper's figures, and a picture of its ablation, from the records."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup

from labeldist.experiments.cases import ABLATION_MEASURES
from labeldist.experiments.figures import grouped_bars, heat_map
from labeldist.experiments.grid_claims import GRIDS, SHOWN
from labeldist.experiments.statistics import grid_points
from labeldist.experiments.tables import REFERENCE, Table
from labeldist.metrics import MEASURES
from labeldist.plots._palette import OKABE_ITO
from labeldist.plots._text import power

GREYS = ("#8a8a8a", "#b4b4b4")
"""For the trivial baselines, which stand back."""


@dataclass(frozen=True)
class Figure:
    """A picture, what to say below it, and its numbers as a table."""

    title: str
    caption: str
    svg: Markup
    numbers: pd.DataFrame


@dataclass(frozen=True)
class FigureGroup:
    """Figures that belong together."""

    title: str
    about: str
    figures: list[Figure]


def paper_figures(records: pd.DataFrame, tables: Iterable[Table]) -> list[FigureGroup]:
    """Draw what the records allow of the bar figures, the heat maps and the ablation."""
    tables = list(tables)
    chains = [t for t in tables if t.kind == "chain" and t.measure.name == "chebyshev"]
    ablations = [t for t in tables if _unidirectional(t) and _rivals(t) and t.measure.name in ABLATION_MEASURES]
    groups = [
        FigureGroup(
            "Learning from recovered distributions",
            "The paper’s two bar figures: a learner is trained on what each enhancer recovered, or on the ground "
            "truth, and judged on held-out rows. Enhancers see the training rows only, except in the runs marked "
            "transductive.",
            [_chain_figure(table) for table in chains],
        ),
        FigureGroup(
            "The influence of the parameters",
            "The paper’s heat maps. Brighter is better in all of them.",
            _heat_maps(records),
        ),
        FigureGroup(
            "What the reconstruction term adds",
            "The ablation: by how much the distance (for intersection, that from 1) is smaller than without "
            "reconstruction. The control has a plain ridge in its place: only what exceeds that is owed to it.",
            [_ablation_figure(table) for table in ablations],
        ),
    ]
    return [group for group in groups if group.figures]


def _means(table: Table) -> pd.DataFrame:
    """Return the means of a table, methods × sets."""
    rows = {dataset: [cell.mean for cell in row] for dataset, row in table.rows.items()}
    return pd.DataFrame(rows, index=list(table.methods))


def _numbers(values: pd.DataFrame, corner: str) -> pd.DataFrame:
    """Return a table with its row names as the first column."""
    return values.rename_axis(corner).reset_index()


def _colours(roles: Mapping[str, str]) -> dict[str, str]:
    """Give each method a colour: the reference the page's own, trivial ones a grey, others Okabe and Ito's in turn."""
    bright, dull = iter(OKABE_ITO), iter(GREYS)
    return {
        method: "currentColor" if method == REFERENCE else next(dull if role == "trivial" else bright, GREYS[0])
        for method, role in roles.items()
    }


def _chain_figure(table: Table) -> Figure:
    means = _means(table)
    learner, _, note = table.variant.partition(", ")
    title = f"Enhancers before {learner}{f' ({note})' if note else ''}, {table.measure.title} {table.arrow}"
    levels = means.drop(index=REFERENCE, errors="ignore").mean(axis=1).dropna()
    best = f"Lowest on average over the sets, ground truth aside: {levels.idxmin()}." if len(levels) else ""
    description = f"Bar chart. {title}: {len(means)} methods on {means.shape[1]} sets. {best}"
    svg = grouped_bars(
        list(means.columns),
        {str(method): row.tolist() for method, row in means.iterrows()},
        colours=_colours(table.methods),
        title=f"{table.measure.title} {table.arrow}",
        description=description,
    )
    caption = f"{title}. {best}"
    return Figure(title, caption, Markup(svg), _numbers(means.T, "Set"))  # noqa: S704  # figures.py escapes its text


def _heat_maps(records: pd.DataFrame) -> list[Figure]:
    points = grid_points(records)
    figures = []
    for (dataset, model, name), part in points.groupby(["dataset", "variant", "measure"], sort=False):
        if name not in SHOWN or model not in GRIDS:
            continue
        other, row_symbol, column_symbol = GRIDS[model]
        grid = part.pivot_table(index="reconstruction", columns=other, values="value", dropna=False)
        measure = MEASURES[name]
        title = f"{model} on {dataset}, {measure.title} {'↑' if measure.higher_is_better else '↓'}"
        best = part.loc[part["value"].idxmax() if measure.higher_is_better else part["value"].idxmin()]
        where = (
            f"best {best['value']:.4f} at {row_symbol} = {power(best['reconstruction'])}, "
            f"{column_symbol} = {power(best[other])}"
        )
        svg = heat_map(
            grid.to_numpy(),
            grid.index.tolist(),
            grid.columns.tolist(),
            row_title=f"{row_symbol}, reconstruction",
            column_title=f"{column_symbol}, {other}",
            higher_is_better=measure.higher_is_better,
            description=f"Heat map. {title}, over {grid.shape[0]} × {grid.shape[1]} points; {where}.",
        )
        corner = f"{row_symbol} down, {column_symbol} across"
        numbers = _numbers(grid.rename(index=power, columns=power), corner).rename_axis(columns=None)
        caption = f"{title}: {where}."
        figures.append(Figure(title, caption, Markup(svg), numbers))  # noqa: S704  # figures.py escapes its text
    return figures


def _unidirectional(table: Table) -> str | None:
    return next((method for method in ("UD-LE", "UD-LDL") if method in table.methods), None)


def _rivals(table: Table) -> list[str]:
    """Return what the unidirectional method is compared with."""
    return [method for method, role in table.methods.items() if method != _unidirectional(table) and role != "trivial"]


def _ablation_figure(table: Table) -> Figure:
    means = _means(table)
    distances = 1 - means if table.measure.higher_is_better else means
    base, shown = str(_unidirectional(table)), _rivals(table)
    gains = 1 - distances.loc[shown] / distances.loc[base].replace(0, np.nan)
    title = f"Gain over {base} ({table.variant}), {table.measure.title}"
    helped = {method: int((gains.loc[method] > 0).sum()) for method in shown}
    words = "; ".join(
        f"{method} is nearer to the truth on {count} of {gains.shape[1]} sets" for method, count in helped.items()
    )
    svg = grouped_bars(
        list(gains.columns),
        {method: gains.loc[method].tolist() for method in shown},
        colours=_colours({method: table.methods[method] for method in shown}),
        title=f"distance saved against {base}",
        description=f"Bar chart. {title}: {words}.",
        percent=True,
    )
    caption = f"{title}: {words}."
    numbers = gains.T.map(lambda gain: "–" if math.isnan(gain) else f"{gain:+.1%}")
    return Figure(title, caption, Markup(svg), _numbers(numbers, "Set"))  # noqa: S704  # figures.py escapes its text
