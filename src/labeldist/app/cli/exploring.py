"""A page of the explorer: versions of the degrees, and what the command says about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labeldist.app.cli import columns
from labeldist.app.cli.columns import Columns
from labeldist.app.cli.estimating import MAX_FEATURES, Estimate, fit_vote_le
from labeldist.app.cli.noise_ceilings import counts_of_votes, noise_ceiling_of
from labeldist.app.cli.options import BAYES, use_features
from labeldist.app.cli.reporter import Reporter, text_of
from labeldist.app.tables.column_selection import LabelledTable, match_columns
from labeldist.app.text import counted
from labeldist.app.types import VOTES_COLUMN, Array
from labeldist.exceptions import TableError
from labeldist.utils import listed

if TYPE_CHECKING:
    import pandas as pd

    from labeldist.app.explorer.contents import Contents, Versions
    from labeldist.app.scores import Score


@dataclass(frozen=True)
class Page:
    """A page about the items of a table.

    `used` are the features of cross-validated predictions, and `estimate` is what `VoteLE` finds
    if the degrees are shares of votes.
    """

    frame: pd.DataFrame
    Y: pd.DataFrame
    item: str | None
    versions: Versions
    used: list[str] = field(default_factory=list)
    estimate: Estimate | None = None

    @cached_property
    def contents(self) -> Contents:
        """The contents of the page."""
        from labeldist.app.explorer.contents import check_contents

        labels = list(self.Y.columns)
        return check_contents(self.frame, labels, item=self.item, **vars(self.versions))

    @cached_property
    def scores(self) -> list[Score]:
        """The measures of the versions and of the trivial baselines."""
        from labeldist.app.explorer.summary import scores

        return scores(self.contents)

    @cached_property
    def ceiling(self) -> tuple[float | None, str]:
        """The noise ceiling and a text about it, if there are skills to compare with it."""
        skills = [score.skill for score in self.scores if not score.trivial]
        if not skills:
            return None, ""
        return noise_ceiling_of(self.frame, self.Y.to_numpy(), None, max(skills))

    @property
    def remarks(self) -> list[str]:
        """Sentences about the predictions, the noise ceiling and the estimate."""
        remarks = []
        if self.used:
            number = counted(len(self.used), "feature")
            remarks.append(f"Predicted from {number}: {listed(self.used, MAX_FEATURES)}.")
        remarks.append(self.ceiling[1])
        if self.estimate:
            remarks += self.estimate.sentences
        return list(filter(None, remarks))

    @property
    def sentences(self) -> list[str]:
        """Sentences about the items, and the remarks."""
        from labeldist.app.explorer.summary import sentences

        return [*sentences(self.contents), *self.remarks]

    @property
    def facts(self) -> dict[str, Any]:
        """Entries in the JSON of the command."""
        measures = {one.name: one.values | {"skill": one.skill} for one in self.scores}
        return {
            "features": self.used,
            "noise_ceiling": self.ceiling[0],
            "estimate": self.estimate.facts if self.estimate else None,
            "items": len(self.contents.names),
            "labels": self.contents.labels,
            "versions": list(self.contents.versions),
            "truth": self.contents.truth,
            "intervals": list(self.contents.intervals),
            "measures": measures,
        }


def page_of_tags(
    frame: pd.DataFrame,
    L: pd.DataFrame,
    named: Columns,
    enhancers: dict[str, Any],
    predictions: dict[str, Array],
    reporter: Reporter,
) -> Page:
    """Return a page of what enhancers recover from tags; `BayesLE` uses features if any."""
    from labeldist.app.explorer.contents import from_logical

    needs_features = list(enhancers) != [BAYES]
    given = columns.choose(frame, named, reporter, need_features=needs_features)
    X = columns.feature_matrix(given, prepare=named.prepare)
    if BAYES in enhancers:
        use_features(enhancers[BAYES], X, reporter)
    with reporter.working(f"Recovering distributions of {len(L)} items") as callback:
        versions = from_logical(X, L, enhancers.values(), predictions, callback)
    return Page(frame, L, named.item, versions)


def page_of_degrees(
    frame: pd.DataFrame,
    D: pd.DataFrame,
    named: Columns,
    predictions: dict[str, Array],
    source: str,
    reporter: Reporter,
) -> Page:
    """Return a page of degrees, of an estimate if they are shares of votes, and of predictions.

    Given predictions replace cross-validated ones.
    """
    from labeldist.app.explorer.contents import from_degrees, from_votes

    table = LabelledTable(frame, list(D.columns), [])
    counts = counts_of_votes(frame, D.to_numpy())
    if counts is not None:
        ignored = match_columns(named.ignore, frame.columns, "ignored")
        named = replace(named, ignore=[*ignored, VOTES_COLUMN])
    if counts is not None or not predictions:
        table = _choose_features(table, named, reporter)
    used: list[str] = []
    if table.features and not predictions:
        predictions = _cross_validated(table, reporter, prepare=named.prepare)
        used = table.features if predictions else []
    if counts is None:
        versions = from_degrees(f"degrees in {source}", D, predictions)
        return Page(frame, D, named.item, versions, used)
    estimate = fit_vote_le(counts, table, reporter, prepare=named.prepare)
    with reporter.working("Computing intervals"):
        versions = from_votes(f"votes in {source}", counts, estimate.enhancer, predictions)
    return Page(frame, D, named.item, versions, used, estimate)


def _choose_features(without: LabelledTable, named: Columns, reporter: Reporter) -> LabelledTable:
    """Return the table with its features.

    If they cannot be used, print a note and return the table without features.
    """
    try:
        given = columns.choose(without.frame, named, reporter)
        _feature_columns(given, prepare=named.prepare)
    except TableError as error:
        reporter.note(f"the page shows no predictions from features: {text_of(error)}")
        return without
    return given


def _cross_validated(
    table: LabelledTable, reporter: Reporter, *, prepare: bool
) -> dict[str, Array]:
    """Return cross-validated predictions by their name, none for few items."""
    from labeldist.app.explorer.contents import predict_out_of_fold

    X, preparation = _feature_columns(table, prepare=prepare)
    with reporter.working(f"Predicting {len(X)} items by cross-validation"):
        return predict_out_of_fold(X, table.Y, preparation)


def _feature_columns(given: LabelledTable, *, prepare: bool) -> tuple[pd.DataFrame, Any]:
    """Return the features, and the transformer that prepares them, if any."""
    from labeldist.app.tables.preparation import prepare_columns

    if not prepare:
        return given.X, None
    converted = given.kinds.converted(given.features)
    return converted, prepare_columns(converted, kinds=given.kinds)
