"""Speed and growth of the grid, a fit, a stream and enhancement, beside the hardware floor.

``make bench`` runs all parts with one thread and writes one page with tables and plots, each with
the number of repeats. Parts can be chosen; sizes can be made smaller.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import linalg, sparse

from benchmarks.page import Page
from benchmarks.side_by_side import ENVIRONMENT, measure_in_turns
from benchmarks.worker import peak_megabytes
from labeldist import BDLDL, BDLDLCV, BDLE
from labeldist._typing import Array
from labeldist.datasets import TableStream, binarize, list_datasets, load_dataset
from labeldist.exceptions import VanishingGraphWarning
from labeldist.metrics import score_all
from labeldist.simplex import softmax

GRID = tuple(10.0**k for k in range(-4, 4))
PEER_ENHANCES = ("Yeast_alpha", "SBU_3DFE")
"""Data sets on which PyLDL's GLLE is measured."""

FITTED = ("Yeast_alpha", "Yeast_cold", "Yeast_spoem", "SBU_3DFE", "Movie")
"""Sets on which one fit is measured."""

SMALL_TABLE, IN_A_ROW = 100_000, 20
"""A fit to fewer numbers takes a millisecond, and is repeated within each turn."""

ENHANCED_ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
GROWTH: dict[str, list[tuple[int, int, int]]] = {
    "rows": [(n, 100, 10) for n in (20_000, 60_000, 200_000, 600_000)],
    "features": [(20_000, m, 10) for m in (50, 150, 500, 1_500)],
    "labels": [(20_000, 200, c) for c in (5, 15, 50, 150)],
}
"""Rows, features and labels of the tables for the growth of a fit."""

ROOT = Path(__file__).parents[1]
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def in_turns(repeats: int, in_a_row: int = 1, **calls: Callable[[], Any]) -> dict[str, float]:
    """Call the functions in turns, and return the median seconds of a call of each."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            began = time.perf_counter()
            for _ in range(in_a_row):
                call()
            times[name].append((time.perf_counter() - began) / in_a_row)
    return {name: statistics.median(values) for name, values in times.items()}


def run_peer(
    options: argparse.Namespace, name: str, points: int, repeats: int = 1
) -> dict[str, Any] | None:
    """Time PyLDL in its environment, if given."""
    if not options.peer:
        return None
    worker = str(Path(__file__).parent / "grid_worker.py")
    command = [options.peer, worker, str(load_dataset(name).filename)]
    command += ["--points", str(points), "--repeats", str(repeats)]
    environment = {**os.environ, **ENVIRONMENT}
    captured = {"capture_output": True, "text": True, "check": True}
    run = subprocess.run(command, env=environment, **captured)  # noqa: S603  # our own worker
    report: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return report


def grid_part(options: argparse.Namespace, page: Page) -> None:
    """Compare BDLDLCV (64 points, ten folds) with the model of PyLDL in GridSearchCV."""
    page.heading("The paper's grid: 64 points, ten folds")
    page.text(
        f"BDLDLCV: median of {options.repeats} fits, on Movie one. PyLDL: one search; where it "
        "searched a part of the grid, the time is the time of the part times 64 / points."
    )
    page.head("set", "BDLDLCV s", "PyLDL s", "ratio", "points that PyLDL searched")
    for name, points in (("Yeast_alpha", 64), ("SBU_3DFE", 64), ("Movie", options.movie_points)):
        X, D = load_dataset(name, return_X_y=True)
        forms = {"": X, ", sparse": sparse.csr_array(X)} if name == "Movie" else {"": X}
        peer = run_peer(options, name, points)
        # The cost of a point does not depend on the point, so a part of the grid suffices.
        whole = peer["grid"] * 64 / peer["points"] if peer and peer["points"] else math.nan
        for form, table in forms.items():
            model = BDLDLCV(GRID, GRID, [1e-3])
            repeats = 1 if name == "Movie" else options.repeats
            seconds = in_turns(repeats, ours=partial(model.fit, table, D))["ours"]
            page.row(
                f"{name}{form}",
                seconds,
                whole,
                f"{whole / seconds:.0f}×" if peer else "",
                points if peer else "",
            )


def fit_part(options: argparse.Namespace, page: Page) -> None:
    """Compare one fit with its Gram products, the peer, Ridge and the general solver of SciPy."""
    from sklearn.linear_model import Ridge

    page.heading("One fit")
    page.text(
        f"Medians of {options.repeats} turns. At a turn each is called once, and for tables of "
        f"fewer than {SMALL_TABLE:,} numbers {IN_A_ROW} times in a row, of which the mean counts. "
        "PyLDL, in a process of its own, is called as often in a row."
    )
    page.head(
        "set",
        "BDLDL s",
        "Gram products s",
        "fit / Gram",
        "Ridge s",
        "SciPy's solve_sylvester s",
        "PyLDL s",
        "ratio",
    )
    for name, X, D in fitted_tables(options):
        A, C = (X.T @ X), X.T @ D
        A = A.toarray() if sparse.issparse(A) else A
        B = 1e-3 * D.T @ D
        in_a_row = IN_A_ROW if X.shape[0] * X.shape[1] < SMALL_TABLE else 1
        seconds = in_turns(
            options.repeats,
            in_a_row,
            ours=lambda: BDLDL().fit(X, D),  # noqa: B023
            gram=lambda: (X.T @ X, X.T @ D, D.T @ D),  # noqa: B023
            ridge=lambda: Ridge(1e-2).fit(X, D),  # noqa: B023
            scipy=lambda: linalg.solve_sylvester(A + 1e-2 * np.eye(len(A)), B, C),  # noqa: B023
        )
        peer = run_peer(options, name, 0, options.repeats * in_a_row) if name in FITTED else None
        turns = (
            np.reshape(peer["fits"], (options.repeats, in_a_row))
            if peer
            else np.full((1, 1), math.nan)
        )
        theirs = float(np.median(turns.mean(axis=1)))
        page.row(
            name,
            seconds["ours"],
            seconds["gram"],
            f"{seconds['ours'] / seconds['gram']:.2f}",
            seconds["ridge"],
            seconds["scipy"],
            theirs,
            f"{theirs / seconds['ours']:.2f}×" if peer else "",
        )


def fitted_tables(options: argparse.Namespace) -> Iterator[tuple[str, Any, Array]]:
    """Yield the tables for one fit."""
    for name in FITTED:
        X, D = load_dataset(name, return_X_y=True)
        yield name, X, D
    yield f"{name}, sparse", sparse.csr_array(X), D
    yield f"{options.rows:,} rows", *many_rows(options.rows)


def many_rows(n: int, m: int = 100, c: int = 10) -> tuple[Array, Array]:
    """Return n rows of noise whose distributions depend slightly on them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, m))
    D = np.exp(X[:, :c] / 2)
    return X, D / D.sum(axis=1, keepdims=True)


def stream_part(options: argparse.Namespace, page: Page) -> None:
    """Compare a fit from a Parquet file with reading it and its Gram products; report memory."""
    page.heading(f"{options.stream_rows:,} × 64 × 8 single-precision rows from Parquet")
    page.text(
        f"Medians of {options.stream_repeats} runs in turns, each in a process of its own, after "
        "the file has been read once."
    )
    page.head("what", "seconds", "megabytes")
    titles = {"read": "reading", "gram": "reading, and Gram products", "fit": "BDLDL.fit_stream"}
    runs: dict[str, list[dict[str, float]]] = {what: [] for what in titles}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder).resolve() / "rows.parquet"
        write_rows(path, options.stream_rows)
        run_alone("read", path)
        for _ in range(options.stream_repeats):
            for what, done in runs.items():
                done.append(run_alone(what, path))
    median = {
        what: {key: statistics.median(run[key] for run in done) for key in done[0]}
        for what, done in runs.items()
    }
    for what, title in titles.items():
        page.row(title, median[what]["seconds"], median[what]["megabytes"])
    page.text(f"fit / (read + Gram): {median['fit']['seconds'] / median['gram']['seconds']:.2f}")


def write_rows(path: Path, n: int) -> None:
    """Write random rows and degrees in chunks."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [*(f"x{i}" for i in range(64)), *(f"d{i}" for i in range(8))]
    schema = pa.schema([(name, pa.float32()) for name in names])
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, n, 500_000):
            columns = rng.random((72, min(500_000, n - start)), dtype=np.float32)
            writer.write_table(pa.table(list(columns), schema=schema), row_group_size=100_000)


def run_alone(
    what: str, file: Path | int, environment: dict[str, str] | None = None
) -> dict[str, Any]:
    """Run one job in a separate process, and return its seconds and peak memory."""
    command = [sys.executable, "-m", "benchmarks.scale", "--job", what, "--file", str(file)]
    run = subprocess.run(  # noqa: S603  # this module
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    report: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return report


def job(what: str, path: Path) -> None:
    """Read, read and multiply, or fit; print seconds and megabytes."""
    stream = TableStream(path, labels=[f"d{i}" for i in range(8)])
    began = time.perf_counter()
    if what == "fit":
        BDLDL().fit_stream(stream).coef_.sum()
    sums: list[Any] = [0, 0, 0]
    for X, D in stream if what != "fit" else ():
        if what == "gram":
            x, d = X.to_numpy().astype(np.float64), D.to_numpy().astype(np.float64)
            sums = [
                total + part for total, part in zip(sums, (x.T @ x, x.T @ d, d.T @ d), strict=True)
            ]
    print(json.dumps({"seconds": time.perf_counter() - began, "megabytes": peak_megabytes()}))


def recover_part(options: argparse.Namespace, page: Page) -> None:
    """Compare the default BDLE with its exact solution and with GLLE of PyLDL."""
    repeats = min(3, options.repeats)
    page.heading("Label enhancement of the benchmark sets")
    page.text(
        f"Medians of {repeats} fits in turns, on Movie one each. "
        "PyLDL: median of its runs, a process each."
    )
    page.head(
        "set",
        "auto s",
        "exact s",
        "PyLDL's GLLE s",
        "ratio",
        "auto was",
        "largest difference in a measure",
    )
    for name in list_datasets():
        data = load_dataset(name)
        models = {solver: BDLE(solver=solver) for solver in ("auto", "exact")}
        fits = {
            solver: partial(model.fit, data.data, data.logical) for solver, model in models.items()
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VanishingGraphWarning)
            seconds = in_turns(1 if name == "Movie" else repeats, **fits)
        scores = {
            solver: score_all(data.target, model.label_distributions_)
            for solver, model in models.items()
        }
        differences = [
            abs(scores["auto"][key] / value - 1) for key, value in scores["exact"].items()
        ]
        peer = math.nan
        if options.peer and name in PEER_ENHANCES:
            peer = statistics.median(
                run.seconds for run in measure_in_turns(options, "GLLE", name)["peer"]
            )
        ratio = "" if math.isnan(peer) else f"{peer / seconds['auto']:.1f}×"
        picked = models["auto"].solver_
        page.row(
            name, seconds["auto"], seconds["exact"], peer, ratio, picked, f"{max(differences):.2%}"
        )


def enhance_part(options: argparse.Namespace, page: Page) -> None:
    """Measure BDLE from 10,000 rows to the given maximum, with all threads."""
    for kind, what in (
        ("latent", "six hidden ones and noise"),
        ("normal", "nothing: independent noise"),
    ):
        page.heading(
            f"Label enhancement of many rows: 10 labels, 50 features made of {what} (all threads)"
        )
        page.text("One run each, in a process of its own.")
        page.head("rows", "seconds", "megabytes", "rank")
        every_thread = {key: value for key, value in os.environ.items() if key not in THREADS}
        sizes = [*(n for n in ENHANCED_ROWS if n < options.rows), options.rows]
        reports = [run_alone(kind, n, every_thread) for n in sizes]
        for n, report in zip(sizes, reports, strict=True):
            page.row(f"{n:,}", report["seconds"], report["megabytes"], report["rank"])
        if len(sizes) > 1:
            page.growth(
                "rows", f"BDLE.fit ({kind})", sizes, [report["seconds"] for report in reports]
            )


def enhance_job(kind: str, n: int) -> None:
    """Enhance n rows; print seconds, megabytes and the rank."""
    X, L = ENHANCED[kind](n)
    began = time.perf_counter()
    model = BDLE(graph_width="mean", random_state=0).fit(X, L)
    seconds = time.perf_counter() - began
    print(
        json.dumps(
            {"seconds": seconds, "megabytes": peak_megabytes(), "rank": model.rank_ or "full"}
        )
    )


def latent_rows(n: int) -> tuple[Any, Array]:
    """Return 50 features of six hidden ones, and logical labels that depend on those."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n, 6))
    X = np.tanh(hidden @ rng.normal(size=(6, 50))) + 0.1 * rng.standard_normal((n, 50))
    return X.astype(np.float32), binarize(softmax(hidden @ rng.normal(size=(6, 10)) / 2))


def normal_rows(n: int) -> tuple[Any, Array]:
    """Return 50 independent features, and logical labels that depend on ten of them."""
    X, D = many_rows(n, m=50)
    return X.astype(np.float32), binarize(D)


ENHANCED = {"latent": latent_rows, "normal": normal_rows}


def growth_part(options: argparse.Namespace, page: Page) -> None:
    """Measure the growth of a fit with rows, features and labels."""
    page.heading("How a fit grows")
    page.text(f"Medians of {options.repeats} fits.")
    for axis, (what, sizes) in enumerate(GROWTH.items()):
        seconds = []
        for n, m, c in sizes:
            X, D = many_rows(n, max(m, c), c)
            X = X[:, :m].copy()
            times = in_turns(options.repeats, fit=lambda: BDLDL().fit(X, D))  # noqa: B023
            seconds.append(times["fit"])
        page.growth(what, "BDLDL.fit", [shape[axis] for shape in sizes], seconds)


PARTS = {
    "grid": grid_part,
    "fit": fit_part,
    "stream": stream_part,
    "recover": recover_part,
    "enhance": enhance_part,
    "growth": growth_part,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the parts, and write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--peer", help="Python of an environment with python-ldl 0.1.2")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--movie-points",
        type=int,
        default=1,
        help="points of the grid that PyLDL searches on Movie",
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--stream-rows", type=int, default=20_000_000)
    parser.add_argument("--stream-repeats", type=int, default=3)
    parser.add_argument(
        "--folder", help="folder of the large file (default: the folder of the system)"
    )
    parser.add_argument("--page", type=Path, default=Path("build/bench.html"))
    parser.add_argument("--job", choices=["read", "gram", "fit", *ENHANCED], help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.job:
        stream = options.job not in ENHANCED
        job(options.job, Path(options.file)) if stream else enhance_job(
            options.job, int(options.file)
        )
        return
    options.folds, options.limit = 1, 600.0  # for the comparison with GLLE of PyLDL
    threads = os.environ.get(THREADS[0], "all")
    page = Page(
        "labeldist: speed and scale", f"{threads} thread(s) unless said otherwise; PyLDL has one."
    )
    for part in options.parts:
        PARTS[part](options, page)
        page.write(options.page)
    print(options.page)


if __name__ == "__main__":
    main()
