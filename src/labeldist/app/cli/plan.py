"""``labeldist plan``: the error to expect with each number of votes per item."""

from __future__ import annotations

from labeldist.app.cli import options, pictures
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.app.cli.vote_tables import VoteColumns
from labeldist.utils import require

NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)  # of votes per item
ABOUT = "Expected KL(truth, estimate) with each number of votes per item:"
LEGEND = (
    "counting: shares after one vote, divided equally between the labels, is added; "
    "Dirichlet: labeldist votes --smoothing auto; "
    "ceiling: skill of the true distributions if these votes judge them. "
    "All are estimates from the votes at hand, and rough with few items."
)


def plan(
    table: options.Table,
    item: options.VoteItem = None,
    annotator: options.Annotator = None,
    label: options.VoteLabel = None,
    annotators: options.AnnotatorColumns = None,
    counts: options.Counts = None,
    label_names: options.LabelNames = None,
    separator: options.Separator = None,
    drop_copies: options.DropCopies = False,
    tool: options.Tool = None,
    picture: options.Picture = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Show how many votes per item are enough.

    The votes of a pilot study show how much the items differ. The table has the expected error of
    label distributions from each number of votes per item. No degrees are written.

    **Examples**

    - `labeldist plan pilot.csv --item id --label emotion`
    - `labeldist plan pilot.csv --item id --label emotion --picture plan.png`
    """
    from labeldist.plots import ExpectedErrorDisplay
    from labeldist.votes import expected_error

    reporter = Reporter(as_json=as_json)
    names = VoteColumns(
        item, annotator, label, annotators, counts, label_names, separator, tool, drop_copies
    )
    tables.check_outputs(picture, force=force)
    pictures.check_picture(picture)
    frame, names = names.read(table, reporter)
    votes = names.count(frame, reporter, allow_empty=True)
    with reporter.working("Computing expected errors"):
        error = expected_error(votes, NUMBERS)
    if picture:
        pictures.save_drawn(ExpectedErrorDisplay(error).plot(), picture, force=force)
    errors = require("pandas", "app").DataFrame(vars(error))
    errors = errors.rename(columns={"n_votes": "votes", "dirichlet": "Dirichlet"})
    rows = errors.to_string(index=False, float_format="{:.3f}".format)
    n_items = len(votes.items)
    mean = float(votes.weights.mean())
    title = f"{n_items} items with {mean:.3g} votes on average. {ABOUT}"
    facts = {"items": n_items, "mean_votes": mean, "plan": errors.to_dict("list")}
    reporter.result("\n".join([title, "", rows, "", LEGEND]), facts)
