"""``labeldist annotators``: agreement of each annotator beyond that of the others."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import typer

from labeldist.app.cli import options
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.vote_tables import VoteColumns
from labeldist.app.tables.column_selection import one_column
from labeldist.app.tables.read_and_write import STANDARD
from labeldist.app.text import counted
from labeldist.utils import listed

N_SHOWN = 5  # Of the annotators in the written table, the least and the most agreeing are printed.
SMALL_P = 0.05
ABOUT_P = "p is one-sided: the probability that within exceeds across by as much by chance."
ABOUT_NAN = (
    "NaN: a group has one annotator, or no items in common with others, or votes for one label."
)


def annotators(
    table: options.Table,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Table of the annotators.")
    ] = None,
    item: options.VoteItem = None,
    annotator: options.Annotator = None,
    label: options.VoteLabel = None,
    annotators: options.AnnotatorColumns = None,
    groups: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Groups of the annotators, such as an age.")
    ] = None,
    level: Annotated[
        Literal["nominal", "ordinal"],
        typer.Option(help="ordinal: neighbours in the order of --label-names disagree less."),
    ] = "nominal",
    label_names: options.LabelNames = None,
    separator: options.Separator = None,
    drop_copies: options.DropCopies = False,
    tool: options.Tool = None,
    seed: Annotated[int, typer.Option(help="Seed of the permutation test of --groups.")] = 0,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Compare the agreement of each annotator with the others on the same items.

    Agreement is corrected for chance, and the agreement of the others with each other is
    subtracted: it is 0 for an annotator like the others, whether the items are easy or difficult,
    and negative for one who agrees less. If nobody differs, 5 % of the 95 % intervals do not
    contain 0. Krippendorff's alpha is the agreement of all. With --groups, the agreement within
    and across groups is shown as well. p is the one-sided p-value of a permutation of the groups.

    **Examples**

    - `labeldist annotators votes.csv --item id --annotator who --label emotion -o annotators.csv`
    - `labeldist annotators votes.csv --item id --annotator who --label emotion --groups gender`
    - `labeldist annotators export.json --from label-studio`
    - `labeldist annotators wide.csv --item id --annotators "r*" --level ordinal`
    """
    from labeldist.votes import agreement
    from labeldist.votes import annotators as compare

    reporter = Reporter(as_json=as_json, output=output)
    names = VoteColumns(
        item, annotator, label, annotators, None, label_names, separator, tool, drop_copies
    )
    if label and not (annotator or tool):
        raise typer.BadParameter("name the column that says who voted with --annotator.")
    if groups and not (annotator and label):
        raise typer.BadParameter("--groups needs --annotator and --label: one row per vote.")
    tables.check_outputs(table=output or STANDARD, force=force)
    frame, names = names.read(table, reporter)
    votes = names.count(frame, reporter, allow_empty=True)
    group_of_vote = None
    if groups:
        group_of_vote = frame[one_column(groups, frame.columns, "group")].replace("", None)
    with reporter.working("Comparing annotators"):
        found = compare(votes, group_of_vote, level=level, random_state=seed)
        overall = agreement(votes, level=level, random_state=seed)
    result = found.to_frame().sort_values("agreement", ignore_index=True)
    if output:
        tables.write_output(result, output, (), item="annotator", force=force)
    shown = _extremes(result) if output else _text(result)
    _report(found, overall, result, shown, reporter)


def _extremes(result: Any) -> str:
    """Return the annotators whose intervals lie lowest and highest, if there are many."""
    if len(result) <= 2 * N_SHOWN:
        return _text(result)
    least = result.nsmallest(N_SHOWN, "upper")
    most = result.nlargest(N_SHOWN, "lower")
    return f"Least agreeing:\n{_text(least)}\n\nMost agreeing:\n{_text(most)}"


def _report(found: Any, overall: Any, result: Any, shown: str, reporter: Reporter) -> None:
    """Print the agreement of all, the annotators that are shown, and the groups."""
    low, high = overall.interval
    n_below = int((found.upper < 0).sum())
    n_above = int((found.lower > 0).sum())
    ordinal = ""
    if overall.level == "ordinal":
        order = listed(overall.label_names)
        ordinal = f"Labels in this order: {order}. Neighbours disagree less.\n"
    text = (
        f"{ordinal}Krippendorff's alpha {overall.alpha:.3f} "
        f"(95 % interval {low:.3f} to {high:.3f})\n"
        f"{len(result)} annotators: {counted(n_below, 'interval')} below 0, {n_above} above; "
        f"about {len(result) * 0.025:.1f} each if nobody differs\n\n{shown}"
    )
    facts = {
        "level": overall.level,
        "alpha": overall.alpha,
        "alpha_interval": overall.interval,
        "below": n_below,
        "above": n_above,
        "annotators": _records(result),
    }
    if found.groups:
        by_group = found.groups.to_frame()
        facts["groups"] = _records(by_group)
        text += f"\n\n{_text(by_group)}\n\n{ABOUT_P}"
        if by_group["p"].isna().any():
            text += f" {ABOUT_NAN}"
        for row in by_group[by_group["smallest_p"] > SMALL_P].itertuples():
            text += (
                f" p of {row.group} cannot be less than {row.smallest_p:.3f}: too few annotators."
            )
    reporter.result(text, facts)


def _records(table: Any) -> Any:
    """Return the rows of a table for JSON, in which NaN is null."""
    return json.loads(table.to_json(orient="records", double_precision=15))


def _text(table: Any) -> str:
    return str(table.to_string(index=False, float_format="{:.3f}".format))
