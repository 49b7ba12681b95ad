"""Measure labeldist and PyLDL on the same folds, data and number of threads, in turns, in one run.

``make peer`` makes the peer's environment and measures. A row gives the median seconds of both, their ratio, their peak
memory, and the divergence of both beside that of the trivial answer.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.worker import ENHANCERS, LEARNERS
from labeldist.datasets import load_dataset
from labeldist.metrics import kl_divergence
from labeldist.simplex import Array, normalize

ENVIRONMENT = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "KERAS_BACKEND": "torch",  # PyLDL's neural methods; it brings no backend of its own
}


@dataclass(frozen=True)
class Measurement:
    """One run of one library: seconds, megabytes, and the answers of each fold; or why there are none."""

    seconds: float = float("nan")
    megabytes: float = float("nan")
    answers: tuple[Array, ...] = ()
    failure: str = ""


def measure(python: str, library: str, method: str, data: Path, labels: Path, limit: float, folds: int) -> Measurement:
    """Run the worker in a process of its own."""
    worker = str(Path(__file__).parent / "worker.py")
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.npz"
        command = [python, worker, library, method, str(data), str(labels), str(answers), "--folds", str(folds)]
        try:
            run = subprocess.run(  # noqa: S603  # our own worker
                command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, timeout=limit, check=True
            )
        except subprocess.TimeoutExpired:
            return Measurement(failure=f"> {limit:.0f} s")
        except subprocess.CalledProcessError as error:
            return Measurement(failure=error.stderr.strip().splitlines()[-1][:80])
        report = json.loads(run.stdout.strip().splitlines()[-1])
        with np.load(answers) as content:
            folds_answers = tuple(content[name] for name in content.files)
        return Measurement(report["seconds"], report["megabytes"], folds_answers)


def divergence(measurement: Measurement, truths: list[Array]) -> str:
    """Return the mean divergence over the folds, or why there is none."""
    if measurement.failure:
        return measurement.failure
    values = []
    for truth, answer in zip(truths, measurement.answers, strict=True):
        if not np.isfinite(answer).all() or (answer < 0).any() or not (answer.sum(axis=1) > 0).all():
            return "no distributions"
        values.append(kl_divergence(truth, normalize(answer)))
    return f"{np.mean(values):.4f}"


def held_out(D: Array, method: str, folds: int) -> tuple[list[Array], list[Array]]:
    """Return the true distributions of each fold and the trivial answer to them."""
    if method in ENHANCERS:
        return [D], [np.full_like(D, 1 / D.shape[1])]
    splits = list(KFold(10, shuffle=True, random_state=0).split(D))[:folds]
    return [D[test] for _, test in splits], [np.tile(D[train].mean(axis=0), (len(test), 1)) for train, test in splits]


def row(arguments: argparse.Namespace, method: str, name: str) -> str:
    """Measure both libraries in turns, and return a row of the table."""
    data = load_dataset(name)
    with tempfile.TemporaryDirectory() as folder:
        labels = Path(folder) / "logical.npy"
        np.save(labels, data.logical)
        runs: dict[str, list[Measurement]] = {"ours": [], "peer": []}
        for _ in range(arguments.repeats):
            for library, python in (("ours", sys.executable), ("peer", arguments.peer)):
                if not any(run.failure for run in runs[library]):
                    runs[library].append(
                        measure(python, library, method, Path(data.filename), labels, arguments.limit, arguments.folds)
                    )
    truths, trivial = held_out(data.target, method, arguments.folds)
    ours, peer = (statistics.median(run.seconds for run in runs[library]) for library in ("ours", "peer"))
    cells = [
        *(f"{seconds:.2f}" for seconds in (ours, peer)),
        f"{peer / ours:.1f}×",
        *(f"{max(run.megabytes for run in runs[library]):.0f}" for library in ("ours", "peer")),
        *(divergence(runs[library][-1], truths) for library in ("ours", "peer")),
        f"{np.mean([kl_divergence(d, p) for d, p in zip(truths, trivial, strict=True)]):.4f}",
    ]
    return f"| {method} | {name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True, help="the Python of an environment with python-ldl 0.1.2 and torch")
    parser.add_argument("--methods", nargs="*", default=[*ENHANCERS, *LEARNERS])
    parser.add_argument("--sets", nargs="*", default=["Yeast_alpha", "Yeast_cold", "Yeast_spoem", "SBU_3DFE", "Movie"])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run is stopped")
    arguments = parser.parse_args()
    print("| method | set | ours s | peer s | ratio | ours MB | peer MB | KL ours | KL peer | KL trivial |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for method in arguments.methods:
        for name in arguments.sets:
            print(row(arguments, method, name), flush=True)


if __name__ == "__main__":
    main()
