"""Comparisons on the benchmark sets, as Markdown tables with the trivial baselines beside every method."""

from collections.abc import Iterable, Mapping

from labeldist.experiments.paper import paper_cells
from labeldist.metrics import MEASURES

Scores = Mapping[str, float]


DIGITS = 4


def beats(measure: str, value: float, other: float) -> bool:
    """Whether `value` is better than `other` in the digits that are printed."""
    value, other = round(value, DIGITS), round(other, DIGITS)
    return value > other if MEASURES[measure].higher_is_better else value < other


def paper_figures(experiment: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return what the paper prints for one of its experiments: values by measure, by set and method."""
    cells = paper_cells()
    figures: dict[tuple[str, str], dict[str, float]] = {}
    for cell in cells[cells["experiment"] == experiment].itertuples():
        figures.setdefault((cell.dataset, cell.method), {})[cell.measure] = cell.value
    return figures


def header() -> str:
    """Return the head of a table of all measures, with their directions."""
    titles = [f"{m.title} {'↑' if m.higher_is_better else '↓'}" for m in MEASURES.values()]
    return f"| set | method | {' | '.join(titles)} |\n|---|---|{'---:|' * len(MEASURES)}"


def rows(dataset: str, scores: Mapping[str, Scores]) -> Iterable[str]:
    """Yield a row a method, the best value of each measure in bold."""
    for method, values in scores.items():
        cells = []
        for measure in MEASURES:
            best = not any(beats(measure, other[measure], values[measure]) for other in scores.values())
            cell = f"{values[measure]:.{DIGITS}f}"
            cells.append(f"**{cell}**" if best else cell)
        yield f"| {dataset} | {method} | {' | '.join(cells)} |"


def where_others_win(results: Mapping[str, Mapping[str, Scores]], method: str) -> Iterable[str]:
    """Yield, for each other method and measure, on which sets it is better than `method`."""
    others = [other for other in next(iter(results.values())) if other != method]
    for other in others:
        for measure, info in MEASURES.items():
            sets = [
                name
                for name, scores in results.items()
                if beats(measure, scores[other][measure], scores[method][measure])
            ]
            names = "none" if not sets else "all" if len(sets) == len(results) else ", ".join(sets)
            yield f"- {other} is better than {method} in {info.title} on {len(sets)} of {len(results)} sets: {names}"
