"""Table of compared learners: a list of dicts that prints as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class LearnerTable(list[dict[str, Any]]):
    """One dict per learner, as for a data frame; the text shows the measure that decided.

    Parameters
    ----------
    rows : iterable of dict
        Name, measures, skill, seconds and failure of each learner.
    scoring : str
        The measure that decided.
    trials : sequence
        What the rows summarise: scores of all folds, and predictions.
    """

    def __init__(
        self, rows: Iterable[dict[str, Any]], scoring: str, trials: Sequence[Any] = ()
    ) -> None:
        super().__init__(rows)
        self.scoring = scoring
        self.trials = trials

    def __repr__(self) -> str:
        width = max([len(row["name"]) for row in self], default=0)
        lines = [f"{'':{width}}  {self.scoring}   skill  seconds"]
        for row in self:
            cells = f"failed: {row['failure']}"
            if not row["failure"]:
                score = f"{row[self.scoring]:.4g}".rjust(len(self.scoring))
                cells = f"{score}  {row['skill']:6.3f}  {row['seconds']:7.2f}"
            lines.append(f"{row['name']:{width}}  {cells}")
        return "\n".join(lines)
