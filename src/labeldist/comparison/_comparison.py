"""The result of a comparison: records, means, ranks, tests, and tables in Markdown and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import attrgetter
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from labeldist._extras import require
from labeldist._text import listed
from labeldist._typing import Array
from labeldist.comparison._significance import (
    LEVEL,
    ROUNDING,
    corrected_t_test,
    critical_difference,
    friedman,
    holm,
    signed_rank_test,
)
from labeldist.metrics import MEASURES

if TYPE_CHECKING:
    import pandas as pd

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "_": r"\_",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "±": r"$\pm$",
        "↓": r"$\downarrow$",
        "↑": r"$\uparrow$",
        "–": "--",
    }
)


class Record(NamedTuple):
    """The value of a measure for a method in one split of a data set.

    Parameters
    ----------
    method, dataset : str
        Names of the method and of the data set.
    fold : int
        Number of the split, counted over all repeats.
    measure : str
        A key of `labeldist.metrics.MEASURES`.
    value : float
        NaN if the method failed.
    seconds : float
        Time of fit and prediction.
    reason : str
        Why the method failed; empty if it did not.
    repeat : int
        Number of the repeat; each row is tested at most once in a repeat.
    n_train, n_test : int
        Numbers of training and test rows; 0 if they are unknown.

    See Also
    --------
    Comparison : What is made of records.

    Examples
    --------
    >>> from labeldist.comparison import Record
    >>> Record("BD-LDL", "Movie", 0, "clark", 0.56).value
    0.56
    """

    method: str
    dataset: str
    fold: int
    measure: str
    value: float
    seconds: float = 0.0
    reason: str = ""
    repeat: int = 0
    n_train: int = 0
    n_test: int = 0


class Comparison:
    """Values of measures for methods on data sets, with ranks, tests and tables.

    A method has no mean on a data set where it failed or lacks folds. Ranks and tests over data
    sets use the data sets on which all methods have a mean; a method without any mean is left out.

    Parameters
    ----------
    records : iterable of Record
        The values. Methods and data sets keep the order of their first records.
    cross_validated : bool, default=True
        Whether the values of a data set are from splits into training and test rows. Otherwise
        there are no tests per data set.
    n_stored : int, default=0
        The number of runs whose results were in a store already.

    Attributes
    ----------
    records : list of Record
        The values.
    methods, datasets, measures : list of str
        Their names.

    See Also
    --------
    compare : Compare learners by cross-validation.
    compare_enhancers : Compare enhancers by the recovery of known distributions.

    Examples
    --------
    >>> from labeldist.comparison import Comparison, Record
    >>> comparison = Comparison(
    ...     [Record("A", "Movie", 0, "clark", 0.5), Record("B", "Movie", 0, "clark", 0.6)]
    ... )
    >>> comparison.ranks("clark")
    {'A': 1.0, 'B': 2.0}
    """

    def __init__(
        self, records: Iterable[Record], *, cross_validated: bool = True, n_stored: int = 0
    ) -> None:
        self.records = list(records)
        self.cross_validated = cross_validated
        self.n_stored = n_stored
        self.methods = list(dict.fromkeys(record.method for record in self.records))
        self.datasets = list(dict.fromkeys(record.dataset for record in self.records))
        measures = dict.fromkeys(record.measure for record in self.records)
        self.measures = [name for name in measures if name in MEASURES]

    @property
    def failures(self) -> dict[tuple[str, str], str]:
        """The reasons of failures by method and data set."""
        failed = [record for record in reversed(self.records) if record.reason]
        return {(record.method, record.dataset): record.reason for record in failed}

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a data frame; needs pandas.

        Returns
        -------
        DataFrame
            One row per method, data set, fold and measure, with the fields of `Record`.
        """
        return require("pandas", "app").DataFrame(self.records, columns=Record._fields)

    def _folds(self, measure: str) -> dict[tuple[str, str], Array]:
        """Return the values of all folds by data set and method, NaN where one is missing."""
        if measure not in self.measures:
            raise ValueError(f"No values of {measure!r}; choose from {', '.join(self.measures)}.")
        n_folds = {record.dataset: record.fold + 1 for record in sorted(self.records, key=_fold)}
        values = {
            (dataset, method): np.full(n_folds[dataset], np.nan)
            for dataset in self.datasets
            for method in self.methods
        }
        for record in self.records:
            if record.measure == measure:
                values[record.dataset, record.method][record.fold] = record.value
        return values

    def means(self, measure: str) -> Array:
        """Return the means over folds.

        Parameters
        ----------
        measure : str
            The measure.

        Returns
        -------
        ndarray of shape (n_datasets, n_methods)
            NaN where a method failed or lacks folds.
        """
        means = [values.mean() for values in self._folds(measure).values()]
        return np.array(means).reshape(len(self.datasets), len(self.methods))

    def _complete(self, measure: str) -> tuple[Array, int, list[str]]:
        """Return mean distances without gaps, the number of data sets, and the methods."""
        distances = _distances(self.means(measure), measure)
        is_known = ~np.isnan(distances)
        methods = is_known.any(axis=0)
        sets = is_known[:, methods].all(axis=1)
        names = np.array(self.methods)[methods].tolist()
        return distances[np.ix_(sets, methods)], int(sets.sum()), names

    def ranks(self, measure: str) -> dict[str, float]:
        """Return the average rank of each method over the data sets.

        Parameters
        ----------
        measure : str
            The measure.

        Returns
        -------
        dict of str to float
            1 is best; equal methods share the mean of their ranks.
        """
        distances, _, methods = self._complete(measure)
        if not len(distances):
            return {}
        return dict(zip(methods, rankdata(distances, axis=1).mean(axis=0).tolist(), strict=True))

    def test(self, measure: str, *, against: str | None = None) -> dict[str, Any]:
        """Test whether methods differ.

        Parameters
        ----------
        measure : str
            The measure.
        against : str, default=None
            The method that the others are compared with, by default the first.

        Returns
        -------
        dict
            ``ranks``: see `ranks`. ``statistic`` and ``pvalue``: Friedman's test of equal average
            ranks; NaN for fewer than two sets or three methods. ``critical_difference``:
            Nemenyi's; average ranks that differ by less are not distinguished. ``over_sets``: for
            each other method, the result of `signed_rank_test` over the data sets; a lead above
            zero means that `against` is better. The p-values are corrected over the methods by
            Holm's method. ``per_set``: for each other method and data set, the same entries for
            the corrected t-test over the splits, with their numbers of training and test rows. The
            p-values are corrected over the data sets, and NaN for a single split. Empty without
            cross-validation.

        See Also
        --------
        summary : The tests as text.
        """
        distances, n_sets, methods = self._complete(measure)
        against = self._method(against)
        columns = dict(zip(methods, distances.T, strict=True))
        own = columns.pop(against, None)
        over_sets = {}
        if own is not None:
            over_sets = {name: signed_rank_test(other - own) for name, other in columns.items()}
        statistic, pvalue = friedman(distances)
        return {
            "ranks": self.ranks(measure),
            "statistic": statistic,
            "pvalue": pvalue,
            "critical_difference": critical_difference(n_sets, len(methods)),
            "over_sets": _corrected(over_sets),
            "per_set": self._test_folds(measure, against) if self.cross_validated else {},
        }

    def _method(self, name: str | None) -> str:
        """Return the name of a method, by default the first; raise if there is no such method."""
        name = self.methods[0] if name is None else name
        if name not in self.methods:
            raise ValueError(f"No method {name!r}; choose from {', '.join(self.methods)}.")
        return name

    def summary(self, measure: str, *, against: str | None = None) -> str:
        """Return the tests of a measure as text.

        Parameters
        ----------
        measure : str
            The measure.
        against : str, default=None
            The method that the others are compared with, by default the first.

        Returns
        -------
        str
            One line for each other method, and Friedman's test.

        See Also
        --------
        test : The numbers.
        """
        tests = self.test(measure, against=against)
        heading = MEASURES[measure].heading
        lines = [f"{heading}, {self._method(against)} against each other method:"]
        per_set = [tests["per_set"].get(method, {}) for method in tests["over_sets"]]
        for (method, test), sets in zip(tests["over_sets"].items(), per_set, strict=True):
            # Wins are counted on the data sets that all methods have.
            common = [t for name, t in sets.items() if all(name in other for other in per_set)]
            clear = [t["lead"] > 0 for t in common if t["pvalue"] < LEVEL]
            noun = "set" if test["wins"] == 1 else "sets"
            counts = f"better on {test['wins']} {noun} ({sum(clear)} clearly)"
            losses = f"worse on {test['losses']} ({len(clear) - sum(clear)} clearly)"
            lines.append(f"{method}: {counts}, {losses}, p = {test['pvalue']:.2g}")
        found = {name: t["pvalue"] for sets in per_set for name, t in sets.items()}
        untested = [repr(name) for name, pvalue in found.items() if math.isnan(pvalue)]
        if untested:
            lines.append(f"One split, so no test on the data set alone: {listed(untested)}")
        if not math.isnan(tests["pvalue"]):
            difference = f"critical difference {tests['critical_difference']:.2f}"
            lines.append(f"Friedman's test of equal ranks: p = {tests['pvalue']:.2g}, {difference}")
        return "\n".join(lines)

    def _test_folds(self, measure: str, against: str) -> dict[str, Any]:
        folds = self._folds(measure)
        ratios = self._ratios()
        found = {}
        for method in self.methods:
            tests = {}
            for dataset in self.datasets:
                values = folds[dataset, method] - folds[dataset, against]
                leads = -values if MEASURES[measure].higher_is_better else values
                if not np.isnan(leads).any():
                    tests[dataset] = corrected_t_test(leads, ratio=ratios[dataset])
            if method != against and tests:
                found[method] = _corrected(tests)
        return found

    def _ratios(self) -> dict[str, float | None]:
        """Return numbers of test rows divided by numbers of training rows, None if unknown."""
        n_train = dict.fromkeys(self.datasets, 0)
        n_test = dict.fromkeys(self.datasets, 0)
        for record in self.records:
            n_train[record.dataset] += record.n_train
            n_test[record.dataset] += record.n_test
        return {name: n_test[name] / n_train[name] if n_train[name] else None for name in n_train}

    def cells(self, measure: str) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the cells of the table of a measure, by data set and method.

        Parameters
        ----------
        measure : str
            The measure.

        Returns
        -------
        dict of str to dict of str to dict
            Each cell has ``mean``, ``std``, ``rank`` (equal methods have the better rank) and
            ``text``: mean ± standard deviation (rank), or why they are missing.
        """
        distances = _distances(self.means(measure), measure)
        ranks = rankdata(distances, "min", axis=1, nan_policy="omit").ravel().tolist()
        failed = self.failures
        folds = self._folds(measure)
        rows: dict[str, dict[str, Any]] = {dataset: {} for dataset in self.datasets}
        for (dataset, method), rank in zip(folds, ranks, strict=True):
            values = folds[dataset, method]
            problem = "failed" if (method, dataset) in failed else "lacks folds"
            mean = float(values.mean())
            std = float(values.std(ddof=1)) if len(values) > 1 else math.nan
            text = problem if math.isnan(mean) else _cell_text(mean, std, rank)
            rows[dataset][method] = {"mean": mean, "std": std, "rank": rank, "text": text}
        return rows

    def to_markdown(self, measure: str, *, caption: str | None = None) -> str:
        """Return the table of a measure in Markdown.

        Parameters
        ----------
        measure : str
            The measure.
        caption : str, default=None
            The line above the table, by default the name of the measure.

        Returns
        -------
        str
            Mean ± standard deviation over the folds (rank), the best in bold; average ranks below.
        """
        head, *body = [f"| {' | '.join(row)} |" for row in self._rows(measure, "**{}**".format)]
        rule = "|---|" + "---:|" * len(self.methods)
        return "\n".join([caption or MEASURES[measure].heading, "", head, rule, *body, ""])

    def to_latex(self, measure: str, *, caption: str | None = None) -> str:
        """Return the table of a measure in LaTeX, for the package booktabs.

        It has one row per data set. If there are more methods than data sets, it has one row per
        method.

        Parameters
        ----------
        measure : str
            The measure.
        caption : str, default=None
            The caption, by default the name of the measure.

        Returns
        -------
        str
            Mean ± standard deviation over the folds (rank), the best in bold; average ranks in the
            last row or column.
        """
        rows = self._rows(measure, r"\textbf{{{}}}".format, _latex)
        has_many_methods = len(self.methods) > len(self.datasets)
        if has_many_methods:
            rows = [list(column) for column in zip(*rows, strict=True)]
            rows[0][0] = "method"
        head, *body = [_latex_row(row) for row in rows]
        if not has_many_methods:
            body.insert(-1, r"\midrule")
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(caption or MEASURES[measure].heading)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join([*lines, ""])

    def _rows(self, measure: str, bold: Any, escape: Any = str) -> list[list[str]]:
        """Return the head, one row per data set, and the average ranks."""
        rows = [["data set", *map(escape, self.methods)]]
        for dataset, cells in self.cells(measure).items():
            row = [escape(dataset)]
            for cell in cells.values():
                text = escape(cell["text"])
                row.append(bold(text) if cell["rank"] == 1 else text)
            rows.append(row)
        ranks = self.ranks(measure)
        shown = [f"{ranks[name]:.2f}" if name in ranks else escape("–") for name in self.methods]
        return [*rows, ["average rank", *shown]]

    def plot(self, measure: str, *, ax: Any = None) -> Any:
        """Draw average ranks and critical differences; needs Matplotlib.

        Parameters
        ----------
        measure : str
            The measure.
        ax : matplotlib Axes, default=None
            Axes to draw on. By default a new figure is made.

        Returns
        -------
        CriticalDifferenceDisplay
            The drawn display.
        """
        from labeldist.plots import CriticalDifferenceDisplay

        tests = self.test(measure)
        caption = f"average ranks, {MEASURES[measure].heading}"
        display = CriticalDifferenceDisplay(tests["ranks"], tests["critical_difference"], caption)
        return display.plot(ax)


_fold = attrgetter("fold")


def _cell_text(mean: float, std: float, rank: float) -> str:
    if math.isnan(std):
        return f"{mean:.4f} ({rank:g})"
    decimals = _decimals(std)
    return f"{mean:.{decimals}f} ± {std:.{decimals}f} ({rank:g})"


def _decimals(deviation: float) -> int:
    """Return the number of decimals, at least 4, that show two digits of a deviation."""
    if deviation < ROUNDING:
        return 4
    return max(4, 1 - math.floor(math.log10(deviation)))


def _distances(values: Array, measure: str) -> Array:
    """Return values as distances: 0 is perfect, larger is worse."""
    return 1 - values if MEASURES[measure].higher_is_better else values


def _corrected(tests: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    pvalues = holm([test["pvalue"] for test in tests.values()])
    pairs = zip(tests.items(), pvalues.tolist(), strict=True)
    return {name: test | {"pvalue": pvalue} for (name, test), pvalue in pairs}


def _latex(text: str) -> str:
    return text.translate(LATEX)


def _latex_row(cells: list[str]) -> str:
    """Return a row of a table on lines of at most 100 characters."""
    row = " & ".join(cells) + r" \\"
    return fill(row, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
