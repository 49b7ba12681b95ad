"""Give labeldist and PyLDL the same bad inputs, and tell what each does: ``make badinputs``.

Every method of both, with its defaults, gets every case of ``benchmarks.bad_input_cases``, each with a new model. What
came of it is judged by the rules of `outcome` alone, the same for both libraries, and written as a page.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

import numpy as np

from benchmarks.bad_input_cases import CASES, GOOD, GOOD_NEW, LABELS, Case
from benchmarks.bad_input_worker import Reaction
from benchmarks.side_by_side import ENVIRONMENT, TITLES
from benchmarks.worker import ENHANCERS, LEARNERS
from labeldist._typing import Array
from labeldist.exceptions import NotADistributionError
from labeldist.simplex import check_distributions

COMMON = [*ENHANCERS, *(method for method in LEARNERS if "," not in method)]
OURS_ALONE = ["BDLE", "BayesLE", "LogicalSoftmax", "Uniform"]
OURS_ALONE += ["BDLDLCV", "EDLLRL", "DistributionForest", "EnhancedLearner", "MeanDistribution"]
METHODS = {"ours": [*COMMON, *OURS_ALONE], "peer": COMMON}
SINGLE_PRECISION = 1e-5
"""How far from 1 a distribution may sum: PyLDL's neural methods compute with 7 digits."""

SAME_DEGREE = 1e-3
"""How far two answers to the same numbers may differ: searches end elsewhere when sums are rounded otherwise."""

WORKER = ("-m", "benchmarks.bad_input_worker")

Answers = Mapping[str, Reaction]


class Outcome(Enum):
    """What came of a bad input: a sign for the tables, and words."""

    RIGHT = "✓", "right answer"
    CLEAR = "!", "clear error"
    WARNED = "w", "answer, with a warning that names the cause"
    UNCLEAR = "?", "unclear error"
    SILENT = "✗", "silent wrong answer"
    CRASH = "†", "did not end, or ended the process"
    NOT_OFFERED = "–", "no such question can be asked"

    @property
    def sign(self) -> str:
        """The sign in the tables."""
        return self.value[0]

    @property
    def words(self) -> str:
        """What the sign means."""
        return self.value[1]


def outcome(case: Case, answers: Answers) -> Outcome:
    """Judge what a method did in a case, beside what it answers to the good input."""
    if case.name not in answers:
        return Outcome.CRASH
    reaction = answers[case.name]
    if not reaction.offered:
        return Outcome.NOT_OFFERED
    if reaction.error is not None:
        return Outcome.CLEAR if _names(case, reaction.error) else Outcome.UNCLEAR
    if _is_right(case, reaction, answers[GOOD_NEW if case.new_rows else GOOD]):
        return Outcome.RIGHT
    return Outcome.WARNED if any(_names(case, told) for told in reaction.told) else Outcome.SILENT


def _names(case: Case, message: str) -> bool:
    return re.search(case.cause, message, re.IGNORECASE | re.DOTALL) is not None


def _is_right(case: Case, reaction: Reaction, good: Reaction) -> bool:
    if not case.answerable or reaction.changed:
        return False
    answer = _distributions(reaction)
    if answer is None or not case.same:
        return answer is not None
    expected = _distributions(good)
    return expected is not None and np.abs(answer - expected).max() <= SAME_DEGREE


def _distributions(reaction: Reaction) -> Array | None:
    """Return the answer if it is one: a distribution over the labels for each row that was asked about."""
    table = np.array(reaction.answer, dtype=np.float64)
    if reaction.asked == 0 == table.size:
        return np.empty((0, LABELS))
    if table.shape != (reaction.asked, LABELS):
        return None
    try:
        return check_distributions(table, tol=SINGLE_PRECISION)
    except NotADistributionError:
        return None


def ask(python: str, library: str, method: str, seconds: float) -> dict[str, Reaction]:
    """Run the worker in a process of its own, and return what it says of each case before it ends, or must end."""
    command = [python, *WORKER, library, method]
    root = Path(__file__).parents[1]
    try:
        printed = subprocess.run(  # noqa: S603  # our own worker
            command, cwd=root, env={**os.environ, **ENVIRONMENT}, capture_output=True, timeout=seconds, check=False
        ).stdout
    except subprocess.TimeoutExpired as late:
        printed = late.stdout or b""
    reactions = [Reaction(**json.loads(line)) for line in printed.decode().splitlines() if line.startswith('{"case"')]
    if not reactions:
        raise RuntimeError(f"{python} cannot ask {method}: try {' '.join(command)}")
    return {reaction.case: reaction for reaction in reactions}


def page(answers: Mapping[str, Mapping[str, Answers]]) -> Iterator[str]:
    """Yield the lines of the page; `answers` by library and method."""
    yield (
        "# Bad inputs, beside PyLDL\n\nWritten by `make badinputs`, judged by rule, never edited. Every method of both "
        "libraries, with its defaults, gets\nevery bad input, each time as a new model: "
        f"{len(CASES)} cases, {len(answers['ours'])} methods of labeldist and {len(answers['peer'])} of PyLDL "
        "(`python-ldl` 0.1.2).\n\n## How it is judged\n"
    )
    yield from (f"- `{kind.sign}` **{kind.words}**. {RULES[kind]}" for kind in Outcome)
    yield f"\n## In short\n\n{OF_THE_PEER}"
    yield from _summary(answers)
    for library in answers:
        yield f"\n## {TITLES[library]}\n"
        yield from _signs(answers[library])
    yield "\n## What was said\n"
    yield "The errors of the first method that gave each kind of outcome, so that the rules can be doubted.\n"
    yield from _messages(answers)


OF_THE_PEER = (
    "Two habits of PyLDL stand behind many of its ✗. `transform` of its FCM, KM, LP and ML takes new rows and returns "
    "the distributions\nof the training rows, whatever they are. Its ML returns rows that are no distributions, even "
    "where nothing is wrong.\n"
)

RULES = {
    Outcome.RIGHT: "For input in another form: the answer to the same numbers as arrays, to a thousandth in each "
    "degree. For a label that is never on, and for good input: a distribution for each row. And the caller's arrays "
    "are as they were.",
    Outcome.CLEAR: "An exception whose message has a word for the cause (for missing numbers: nan, missing or finite). "
    "The words are in `benchmarks/bad_input_cases.py`, and meant to be generous.",
    Outcome.WARNED: "A wrong answer, but something was logged or warned that has a word for the cause.",
    Outcome.UNCLEAR: "An exception without any such word.",
    Outcome.SILENT: "Any answer where there is no right one; else one that is not a distribution for each row, or is "
    "not the right one, or that changes the caller's arrays.",
    Outcome.CRASH: "In the time that it was given.",
    Outcome.NOT_OFFERED: "An enhancer without a rule for new rows has no `transform`.",
}


def _summary(answers: Mapping[str, Mapping[str, Answers]]) -> Iterator[str]:
    yield f"| bad input | {' | '.join(TITLES[library] for library in answers)} | silent in PyLDL |\n|---|---|---|---|"
    totals: dict[str, Counter[Outcome]] = {library: Counter() for library in answers}
    for case in CASES:
        counts = {
            library: Counter(outcome(case, of_method) for of_method in methods.values())
            for library, methods in answers.items()
        }
        for library, count in counts.items():
            totals[library] += count
        silent = [m for m, of_method in answers["peer"].items() if outcome(case, of_method) is Outcome.SILENT]
        everyone = "all" if len(silent) == len(answers["peer"]) else ", ".join(silent)
        yield f"| {case.name} | {' | '.join(_count(count) for count in counts.values())} | {everyone} |"
    yield f"| **all** | {' | '.join(_count(total) for total in totals.values())} | |"


def _count(count: Counter[Outcome]) -> str:
    return ", ".join(f"{count[kind]} {kind.sign}" for kind in Outcome if count[kind])


def _signs(methods: Mapping[str, Answers]) -> Iterator[str]:
    yield f"| bad input | {' | '.join(methods)} |\n|---|{':-:|' * len(methods)}"
    for case in CASES:
        yield f"| {case.name} | {' | '.join(outcome(case, of_method).sign for of_method in methods.values())} |"


def _messages(answers: Mapping[str, Mapping[str, Answers]]) -> Iterator[str]:
    for case in CASES:
        for library, methods in answers.items():
            told: set[Outcome] = set()
            for method, of_method in methods.items():
                kind = outcome(case, of_method)
                if kind in (Outcome.CLEAR, Outcome.UNCLEAR) and kind not in told:
                    told.add(kind)
                    message = " ".join(of_method[case.name].error.split())[:160].replace("`", "'")
                    yield f"- {case.name}, {TITLES[library]} {method} `{kind.sign}`: `{message}`"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask both libraries, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True, help="the Python of an environment with python-ldl, torch and pandas")
    parser.add_argument("--methods", nargs="*", choices=METHODS["ours"], default=METHODS["ours"])
    parser.add_argument("--seconds", type=float, default=900, help="for all cases of a method")
    parser.add_argument("--page", type=Path, default=Path("build/bad_inputs.md"))
    options = parser.parse_args(arguments)
    pythons = {"ours": sys.executable, "peer": options.peer}
    answers: dict[str, dict[str, Answers]] = {library: {} for library in pythons}
    for library, python in pythons.items():
        for method in _chosen(METHODS[library], options.methods):
            answers[library][method] = ask(python, library, method, options.seconds)
            signs = "".join(outcome(case, answers[library][method]).sign for case in CASES)
            print(f"{TITLES[library]:10} {method:18} {signs}", flush=True)
    options.page.parent.mkdir(parents=True, exist_ok=True)
    options.page.write_text("\n".join(page(answers)) + "\n", encoding="utf-8")
    print(options.page)


def _chosen(methods: Iterable[str], wanted: Sequence[str]) -> list[str]:
    return [method for method in methods if method in wanted]


if __name__ == "__main__":
    main()
