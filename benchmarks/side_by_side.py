"""Measure labeldist and PyLDL on the same folds, data and number of threads, in turns, in one run.

``make peer`` makes the peer's environment, measures, and writes a page of tables. Every finished
row is recorded, so that a run that was interrupted goes on where it was.

Faster means sooner at the same quality. Where both minimise the same objective (SABFGS, SAIIS), the
peer's time is the one until it is within 1e-5 of the best value known, ours run to convergence;
where it never gets there, and for all other methods, it is the time to its own stop. Ours is always
the time to its own stop, and the gap that it leaves is in the table.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import header, rows
from benchmarks.worker import ENHANCERS, LEARNERS, ten_folds
from labeldist._typing import Array
from labeldist.datasets import load_dataset
from labeldist.metrics import score_all
from labeldist.simplex import normalize

ENVIRONMENT = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "KERAS_BACKEND": "torch",  # for the neural methods of PyLDL
}
SAME_QUALITY = 1e-5
LIBRARIES = ("ours", "peer")
TITLES = {"ours": "labeldist", "peer": "PyLDL", "trivial": "trivial"}
DIFFERENCES = {
    "LDLLC": (
        "PyLDL weights the distance of two labels' coefficients by the sign of their correlation,"
        " has no ridge, and searches in float32 for 50 iterations; ours weights by the "
        "correlation and has the authors' ridge."
    ),
    "LDLSCL": (
        "PyLDL divides the terms of the objective by n, n·k and c, so that its penalties weigh "
        "otherwise, and takes 1,000 steps of Adam; ours minimises the published objective."
    ),
    "AABP": (
        "PyLDL takes 1,000 full steps of gradient descent on squared differences; ours has weight"
        " decay and searches by L-BFGS until it converges."
    ),
    "PTSVM": (
        "PyLDL's machines are linear with C = 1 and calibrated by five folds; ours have the "
        "published Gaussian kernel, C = 0.1 and γ = 0.01, which on features with small numbers "
        "are weak: so with C = 100, too."
    ),
    "GLLE": (
        "PyLDL has a third term, over clusters, and searches in float32 for 50 iterations; ours "
        "is the formula that the paper compares with, at its minimum."
    ),
    "ML": "PyLDL solves a general quadratic programme in float64 on weights of float32.",
    "PTBayes": (
        "Measured with PyLDL's model, independent features and drawn examples, not with our "
        "default."
    ),
    "FCM": "Measured with PyLDL's 50 clusters and a tolerance as fine.",
    "LDLLRR": "PyLDL takes the mean of the divergences instead of their sum, and has no ridge.",
    "LDL4C": (
        "PyLDL divides the distances by the number of labels, and takes the margin to the second "
        "true label instead of the predicted runner-up."
    ),
    "LDLHR": "PyLDL divides the distances by the number of labels, and has other weights.",
    "DeltaLDL": (
        "PyLDL approximates the integral by Simpson's rule and trains a network by Adam; ours has"
        " the exact integral and a linear model."
    ),
    "IncomLDL": (
        "Measured without missing degrees. PyLDL solves one quadratic programme per row and "
        "iteration."
    ),
    "WInLDL": (
        "Measured without missing degrees. PyLDL projects without the weights, which is not the "
        "minimum."
    ),
    "LDLSF": "PyLDL shrinks the columns of W₂, the labels, instead of the rows, the features.",
    "LDSVR": "PyLDL fits one machine per label; ours has the joint loss of the paper.",
    "CPNN": "PyLDL trains by 1,000 steps of RProp; ours has weight decay and searches by L-BFGS.",
    "LDLForest": (
        "PyLDL trains the gates by 1,000 steps of Adam, and applies softmax to the sums of the "
        "leaves."
    ),
}
"""Differences between the models; methods that are not listed are the same in both libraries."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Measurement:
    """One run of one library: records of each fold, megabytes and predictions, or the failure."""

    folds: tuple[Record, ...] = ()
    megabytes: float = math.nan
    answers: tuple[Array, ...] = ()
    failure: str = ""

    @property
    def seconds(self) -> float:
        """Seconds of the median fold; the first fold includes one-time costs."""
        return statistics.median(fold["seconds"] for fold in self.folds) if self.folds else math.nan


def measure(
    arguments: argparse.Namespace, library: str, method: str, data: Path, labels: Path
) -> Measurement:
    """Run the worker in a separate process."""
    worker = str(Path(__file__).parent / "worker.py")
    python = sys.executable if library == "ours" else arguments.peer
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.npz"
        command = [python, worker, library, method, str(data), str(labels), str(answers)]
        command += ["--folds", str(arguments.folds), "--seconds", str(arguments.limit / 4)]
        try:
            run = subprocess.run(  # noqa: S603  # our own worker
                command,
                env={**os.environ, **ENVIRONMENT},
                capture_output=True,
                text=True,
                timeout=arguments.limit,
                check=True,
            )
        except subprocess.TimeoutExpired:
            return Measurement(failure=f"> {arguments.limit:.0f} s")
        except subprocess.CalledProcessError as error:
            return Measurement(failure=error.stderr.strip().splitlines()[-1][:80])
        report = json.loads(run.stdout.strip().splitlines()[-1])
        with np.load(answers) as content:
            return Measurement(tuple(report["folds"]), report["megabytes"], tuple(content.values()))


def measure_in_turns(
    arguments: argparse.Namespace, method: str, name: str
) -> dict[str, list[Measurement]]:
    """Measure both libraries in turns; long runs are not repeated."""
    data = load_dataset(name)
    runs: dict[str, list[Measurement]] = {library: [] for library in LIBRARIES}
    with tempfile.TemporaryDirectory() as folder:
        labels = Path(folder) / "logical.npy"
        np.save(labels, data.logical)
        for _ in range(arguments.repeats):
            for library in LIBRARIES:
                last = runs[library][-1] if runs[library] else None
                if last and (last.failure or last.seconds * len(last.folds) > arguments.limit / 10):
                    continue
                run = measure(arguments, library, method, Path(data.filename), labels)
                if last and run.failure:  # a failed repeat adds nothing
                    continue
                runs[library].append(run)
    return runs


def held_out(D: Array, method: str, folds: int) -> tuple[list[Array], list[Array]]:
    """Return the true distributions of each fold and the trivial prediction."""
    if method in ENHANCERS:
        return [D], [np.full_like(D, 1 / D.shape[1])]
    splits = ten_folds(D)[:folds]
    return [D[test] for _, test in splits], [
        np.tile(D[train].mean(axis=0), (len(test), 1)) for train, test in splits
    ]


def scores(truths: Iterable[Array], answers: Iterable[Array]) -> dict[str, float] | None:
    """Return the mean of every measure over folds; None if predictions are not distributions."""
    values = []
    for truth, answer in zip(truths, answers, strict=False):
        if (
            not np.isfinite(answer).all()
            or (answer < 0).any()
            or not (answer.sum(axis=1) > 0).all()
        ):
            return None
        values.append(score_all(truth, normalize(answer)))
    return (
        {measure: float(np.mean([fold[measure] for fold in values])) for measure in values[0]}
        if values
        else None
    )


def peer_seconds(run: Measurement, best: list[float]) -> tuple[float, bool]:
    """Return the seconds until the peer nearly reaches the best objective, and whether it does."""
    seconds, reached = [], []
    for fold, goal in zip(run.folds, best, strict=False):
        times = [at for at, value in fold.get("trace", ()) if value <= goal * (1 + SAME_QUALITY)]
        seconds.append(times[0] if times else fold["seconds"])
        reached.append(bool(times))
    return statistics.median(seconds), all(reached)


def gap(values: Iterable[float], best: list[float]) -> float:
    """Return the largest relative distance from the best objective."""
    return max(value / goal - 1 for value, goal in zip(values, best, strict=False))


def record_of(arguments: argparse.Namespace, method: str, name: str) -> Record:
    """Measure a method on a set, and return the record."""
    runs = measure_in_turns(arguments, method, name)
    ours, peer = runs["ours"], runs["peer"]
    folds = min(
        (len(run.folds) for library in LIBRARIES for run in runs[library] if run.folds), default=0
    )
    truths, trivial = held_out(load_dataset(name).target, method, folds)
    record: Record = {
        "method": method,
        "set": name,
        "folds": folds,
        "limit": arguments.limit,
        "seconds": {
            library: statistics.median(run.seconds for run in runs[library])
            for library in LIBRARIES
        },
        "megabytes": {
            library: max(run.megabytes for run in runs[library]) for library in LIBRARIES
        },
        "failure": {library: runs[library][-1].failure for library in LIBRARIES},
        "scores": {library: scores(truths, runs[library][0].answers) for library in LIBRARIES},
        "gap": {},
    }
    record["scores"]["trivial"] = scores(truths, trivial)
    best = [fold["best"] for fold in ours[0].folds if "best" in fold]
    if best:
        record["gap"]["ours"] = gap((fold["reached"] for fold in ours[0].folds), best)
    if best and peer[0].folds and "trace" in peer[0].folds[0]:
        record["gap"]["peer"] = gap((fold["trace"][-1][1] for fold in peer[0].folds), best)
        until = [peer_seconds(run, best) for run in peer]
        record["own stop"] = record["seconds"]["peer"]
        record["seconds"]["peer"] = statistics.median(seconds for seconds, _ in until)
    return record


def skill(record: Record, library: str) -> float:
    """Return the skill over the trivial prediction."""
    values = record["scores"][library]
    return (
        1 - values["kl_divergence"] / record["scores"]["trivial"]["kl_divergence"]
        if values
        else math.nan
    )


def ratio(record: Record) -> str:
    """Return the ratio of the times, or a lower bound of it."""
    ours, peer = (record["seconds"][library] for library in LIBRARIES)
    if record["failure"]["peer"].startswith(">"):
        return f"> {record['limit'] / ours:.0f}×"
    return f"{peer / ours:.1f}×"


def page(records: list[Record]) -> Iterable[str]:
    """Yield the lines of the page."""
    yield "# Side by side with PyLDL\n"
    yield "Written by `make peer`; the documentation explains it under Speed.\n"
    yield "## Time, memory, objective and skill\n"
    yield (
        "| method | set | folds | labeldist s | PyLDL s | ratio | labeldist MB | PyLDL MB "
        "| gap | PyLDL's gap | skill | PyLDL's skill |"
    )
    yield f"|---|---|{'---:|' * 10}"
    for record in records:
        seconds = record["seconds"]
        gaps = (
            f"{record['gap'][library]:.0e}" if library in record["gap"] else ""
            for library in LIBRARIES
        )
        cells = [
            str(record["folds"]),
            f"{seconds['ours']:.3g}",
            record["failure"]["peer"] or f"{seconds['peer']:.3g}",
            ratio(record),
            *(f"{record['megabytes'][library]:.0f}" for library in LIBRARIES),
            *gaps,
            *(f"{skill(record, library):+.3f}" for library in LIBRARIES),
        ]
        yield f"| {record['method']} | {record['set']} | {' | '.join(cells)} |"
    yield "\n## Where the models differ\n"
    yield from (f"- **{method}.** {difference}" for method, difference in DIFFERENCES.items())
    yield "\n## The six measures\n"
    yield header()
    for record in records:
        values = {TITLES[library]: found for library, found in record["scores"].items() if found}
        yield from rows(f"{record['set']}, {record['method']}", values)


def main() -> None:
    """Measure what is not recorded yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--peer", required=True, help="the Python of an environment with python-ldl 0.1.2 and torch"
    )
    parser.add_argument(
        "--methods", nargs="*", choices=[*ENHANCERS, *LEARNERS], default=[*ENHANCERS, *LEARNERS]
    )
    parser.add_argument(
        "--sets",
        nargs="*",
        default=["Yeast_alpha", "Yeast_cold", "Yeast_spoem", "SBU_3DFE", "Movie"],
    )
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--limit", type=float, default=400, help="seconds; a run that takes a tenth is not repeated"
    )
    parser.add_argument("--record", type=Path, default=Path("build/side_by_side.jsonl"))
    parser.add_argument("--page", type=Path, default=Path("build/side_by_side.md"))
    arguments = parser.parse_args()
    arguments.record.parent.mkdir(parents=True, exist_ok=True)
    lines = arguments.record.read_text().splitlines() if arguments.record.exists() else []
    done = {(record["method"], record["set"]): record for record in map(json.loads, lines)}
    for name in arguments.sets:
        for method in arguments.methods:
            if (method, name) not in done:
                record = done[method, name] = record_of(arguments, method, name)
                with arguments.record.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(f"{method:8} {name:12} {ratio(record)}", flush=True)
    chosen = [
        done[key]
        for key in ((method, name) for method in arguments.methods for name in arguments.sets)
    ]
    arguments.page.write_text("\n".join(page(chosen)) + "\n", encoding="utf-8")
    print(arguments.page)


if __name__ == "__main__":
    main()
