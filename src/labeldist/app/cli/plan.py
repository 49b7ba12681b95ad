"""``labeldist votes --plan``: the error to expect with each number of votes per item."""

from __future__ import annotations

from typing import Any

from labeldist._extras import require
from labeldist.app.cli import pictures
from labeldist.app.cli.reporter import Reporter

ABOUT = "Expected KL(truth, estimate) with each number of votes per item:"
LEGEND = (
    "counting: shares after one vote, divided equally between the labels, is added; "
    "Dirichlet: --smoothing auto; "
    "ceiling: skill of the true distributions if these votes judge them. "
    "All are estimates from the votes at hand, and rough with few items."
)


def report_plan(votes: Any, picture: str | None, reporter: Reporter, *, force: bool) -> None:
    """Print the expected errors as a table, and draw a picture if there is a path."""
    from labeldist.plots import ExpectedErrorDisplay
    from labeldist.plots._expected_error import NUMBERS
    from labeldist.votes import expected_error

    with reporter.working("Computing expected errors"):
        error = expected_error(votes, NUMBERS)
    if picture:
        pictures.save_drawn(ExpectedErrorDisplay(error).plot(), picture, force=force)
    table = require("pandas", "app").DataFrame(vars(error))
    table = table.rename(columns={"n_votes": "votes", "dirichlet": "Dirichlet"})
    rows = table.to_string(index=False, float_format="{:.3f}".format)
    n_items = len(votes.items)
    mean = float(votes.weights.mean())
    title = f"{n_items} items with {mean:.3g} votes on average. {ABOUT}"
    facts = {"items": n_items, "mean_votes": mean, "plan": table.to_dict("list")}
    reporter.result("\n".join([title, "", rows, "", LEGEND]), facts)
