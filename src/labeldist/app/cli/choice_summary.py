"""Summary of the choice of a learner: the comparison, the result and cautions."""

from __future__ import annotations

from labeldist.app.scores import describe_skill
from labeldist.app.text import counted
from labeldist.learning import Choice
from labeldist.metrics import MEASURES

BLEND = "blend"  # The name of the blend of all learners in a `Choice`.
FEW_ROWS = 100  # Scores on fewer rows are called rough.
ROUNDING = 0.005  # A sum of weights that is closer to one is printed as one.


def summarise_choice(choice: Choice, *, requested: bool) -> str:
    """Return a paragraph about a choice. If `requested`, the user named the learner."""
    sentences = [_comparison(choice), _result(choice, requested), _cautions(choice)]
    return " ".join(filter(None, sentences))


def _comparison(choice: Choice) -> str:
    others = choice.table[1:]
    compared = [row for row in others if not row["failure"] and row["name"] != BLEND]
    learners = counted(len(compared), "learner")
    rows = f"{choice.compared_rows:,} rows"
    if choice.compared_rows < choice.n_rows:
        rows += f" drawn at random from {choice.n_rows:,}"
    baseline = choice.table[0]["name"]
    return f"Compared {learners} with {baseline} on {rows}, in {choice.n_folds} folds."


def _result(choice: Choice, requested: bool) -> str:
    baseline = choice.table[0]
    if choice.name == baseline["name"]:
        reason = ", because no learner is better" if len(choice.table) > 1 else ""
        return f"Chosen: {choice.name}{reason}. It predicts the same for every row."
    verb = "Requested" if requested else "Chosen"
    effect = describe_skill(choice.skill, choice.scoring, baseline["name"])
    title = MEASURES[choice.scoring].title
    chosen = next(row for row in choice.table if row["name"] == choice.name)
    score = chosen[choice.scoring]
    score_of_baseline = baseline[choice.scoring]
    figures = f"{title} {score:.3g} instead of {score_of_baseline:.3g}"
    name = _blend(choice.weights) if choice.weights else choice.name
    return f"{verb}: {name}; it {effect} ({figures})."


def _blend(weights: dict[str, float]) -> str:
    """Name the learners of a blend, their shares of the weights, and the sum of the weights."""
    total = sum(weights.values())
    shares = [f"{100 * weight / total:.0f} % {learner}" for learner, weight in weights.items()]
    name = f"{BLEND} of {', '.join(shares)}"
    if len(weights) == 1:
        (name,) = weights
    if abs(total - 1) < ROUNDING:
        return name
    effect = "more" if total > 1 else "less"
    return f"{name}, made {effect} certain (power {total:.2f})"


def _cautions(choice: Choice) -> str:
    baseline = choice.table[0]["name"]
    cautions = [
        f"{row['name']} failed and was left out ({row['failure']})"
        for row in choice.table
        if row["failure"]
    ]
    if choice.name != baseline and not choice.is_clear:
        cautions.append(f"{choice.name} is not clearly better than {baseline}")
    if choice.compared_rows < FEW_ROWS:
        cautions.append(f"scores on {choice.compared_rows} rows are rough")
    return f"Caution: {'; '.join(cautions)}." if cautions else ""
