"""``labeldist annotators``: agreement of each annotator with the others beyond chance."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from labeldist._extras import require
from labeldist._tables.column_selection import one_column
from labeldist._tables.tables import STANDARD
from labeldist.cli import io, options
from labeldist.cli.reporter import Reporter
from labeldist.cli.vote_tables import WITHOUT_VOTES, VoteColumns

GROUPS = ["group", "annotators", "within", "across", "p"]  # columns of the table of groups
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
    label_names: options.LabelNames = None,
    separator: options.Separator = None,
    tool: options.Tool = None,
    seed: Annotated[int, typer.Option(help="Seed of the permutation test of --groups.")] = 0,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Show how much each annotator agrees with the others beyond chance.

    0 is the agreement of an annotator who votes at random or always for the same label, 1 is
    perfect. It is shrunken towards the mean by the number of votes, and has a 95 % interval. With
    --groups, the agreement within and across groups is shown as well. p is one-sided: the
    probability that within exceeds across by as much if the groups mean nothing.

    **Examples**

    - `labeldist annotators votes.csv --item id --annotator who --label emotion -o annotators.csv`
    - `labeldist annotators votes.csv --item id --annotator who --label emotion --groups gender`
    - `labeldist annotators export.json --from label-studio`
    """
    from labeldist.votes import annotators as compare

    reporter = Reporter(as_json=as_json, output=output)
    names = VoteColumns(item, annotator, label, annotators, None, label_names, separator, tool)
    if label and not (annotator or tool):
        raise typer.BadParameter("name the column that says who voted with --annotator.")
    if groups and not (annotator and label):
        raise typer.BadParameter("--groups needs --annotator and --label: one row per vote.")
    io.check_outputs(table=output or STANDARD, force=force)
    frame, names = names.read(table, reporter)
    votes = names.count(frame, reporter, smoothing=WITHOUT_VOTES)
    group_of_vote = None
    if groups:
        group_of_vote = frame[one_column(groups, frame.columns, "group")].replace("", None)
    with reporter.working("Comparing annotators"):
        found = compare(votes, group_of_vote, random_state=seed)
    result = found.to_frame().sort_values("agreement", ignore_index=True)
    if output:
        io.write_output(result, output, (), item="annotator", force=force)
    _report(found, result, reporter)


def _report(found: Any, result: Any, reporter: Reporter) -> None:
    """Print the annotators with the lowest agreement first, and the groups."""
    text = f"{len(result)} annotators, mean agreement {found.mean:.3f}\n\n{_text(result)}"
    facts = {"mean": found.mean, "annotators": result.to_dict("records")}
    if found.groups:
        by_group = require("pandas", "app").DataFrame(vars(found.groups)).set_axis(GROUPS, axis=1)
        facts["groups"] = json.loads(by_group.to_json(orient="records"))  # NaN becomes null
        text += f"\n\n{_text(by_group)}\n\n{ABOUT_P}"
        if by_group["p"].isna().any():
            text += f" {ABOUT_NAN}"
    reporter.result(text, facts)


def _text(table: Any) -> str:
    return str(table.to_string(index=False, float_format="{:.3f}".format))
