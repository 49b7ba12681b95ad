"""``labeldist votes --plan``: the error to expect with each number of votes per item."""

from __future__ import annotations

from typing import Any

from labeldist._extras import require
from labeldist.cli.reporter import Reporter

NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
ABOUT = "Expected KL(truth, estimate) with each number of votes per item:"
LEGEND = (
    "counting: shares after one vote is added; Dirichlet: --smoothing auto; "
    "ceiling: skill of the true distributions if these votes judge them."
)


def report_plan(votes: Any, reporter: Reporter) -> None:
    """Print the expected errors as a table."""
    from labeldist.votes import expected_error

    with reporter.working("Computing expected errors"):
        error = expected_error(votes, NUMBERS)
    table = require("pandas", "app").DataFrame(vars(error))
    table = table.rename(columns={"n_votes": "votes", "dirichlet": "Dirichlet"})
    rows = table.to_string(index=False, float_format="{:.3f}".format)
    n_items = len(votes.items)
    mean = float(votes.weights.mean())
    title = f"{n_items} items with {mean:.3g} votes on average. {ABOUT}"
    facts = {"items": n_items, "mean_votes": mean, "plan": table.to_dict("list")}
    reporter.result("\n".join([title, "", rows, "", LEGEND]), facts)
