"""SoftmaxRegression on a table that does not fit into memory, and ``labeldist predict``.

``make large-tables`` writes a folder of Parquet files, fits from a `TableStream` and with two Dask
worker processes, and prints the time beside its floor: for each iteration, one reading of the table
and the two products with the features, which are timed before and after the fit. It then prints
time and memory of ``labeldist predict`` on a CSV file of a million rows with three features. Each
part runs in a process of its own with one thread.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.tables import row, table
from labeldist import BDLDL
from labeldist.datasets import TableStream
from labeldist.learning import SoftmaxRegression
from labeldist.models import save

N_FEATURES = 50
LABELS = ["a", "b", "c", "d", "e"]
FEATURES = [f"x{k}" for k in range(N_FEATURES)]
FILE_ROWS = 250_000
CHUNK_ROWS = 50_000
WORKERS = 2
# A small process starts the command: a child's peak is at least the memory of its parent.
USE_OF_CHILD = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(use.ru_utime + use.ru_stime, use.ru_maxrss)
"""


def write(folder: Path, n_rows: int) -> None:
    """Write features and degrees to Parquet files of `FILE_ROWS` rows."""
    import pandas as pd

    rng = np.random.default_rng(0)
    W = rng.normal(size=(N_FEATURES, len(LABELS))) / 5
    for number in range(-(-n_rows // FILE_ROWS)):
        X = rng.normal(size=(min(FILE_ROWS, n_rows - number * FILE_ROWS), N_FEATURES))
        D = np.exp(X @ W + 0.5 * rng.normal(size=(len(X), len(LABELS))))
        D /= D.sum(axis=1, keepdims=True)
        frame = pd.DataFrame(np.hstack([X, D]), columns=FEATURES + LABELS)
        path = folder / f"part.{number}.parquet"
        frame.to_parquet(path, row_group_size=CHUNK_ROWS)


def products(X, D):
    """Multiply features by coefficients, and their transpose by residuals."""
    X = np.asarray(X)
    return X.T @ (X @ np.ones((N_FEATURES, len(LABELS))) - np.asarray(D))


def by_stream(folder: str) -> dict[str, float]:
    """Fit from a stream; return CPU seconds, seconds of the floor, iterations and peak memory."""
    stream = TableStream(folder, labels=LABELS, chunk_rows=CHUNK_ROWS)

    def floor() -> float:
        start = time.process_time()
        for X, D in stream:
            products(X, D)
        return time.process_time() - start

    before = floor()
    start = time.process_time()
    model = SoftmaxRegression().fit_stream(stream)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    around = (before + floor()) / 2
    return {"seconds": seconds, "floor": around, "iterations": model.n_iter_, "megabytes": peak}


def worker_use(dask_worker=None) -> tuple[float, float]:  # noqa: ARG001  # Dask passes it
    """Return CPU seconds and peak megabytes of a worker."""
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime, use.ru_maxrss / 1024


def by_dask(folder: str) -> dict[str, float]:
    """Fit with two worker processes; seconds are the CPU time of both."""
    import dask.dataframe as dd
    from dask import compute, delayed
    from distributed import Client, LocalCluster

    frame = dd.read_parquet(folder)
    X, D = frame[FEATURES], frame[LABELS]
    with (
        LocalCluster(WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def cpu_seconds() -> float:
            return sum(seconds for seconds, _ in client.run(worker_use).values())

        def floor() -> float:
            start = cpu_seconds()
            total = [delayed(products)(*pair) for pair in blocks(X, D)]
            compute(delayed(sum)(total))
            return cpu_seconds() - start

        compute(*[delayed(products)(*pair) for pair in blocks(X, D)][:WORKERS])  # imports
        before = floor()
        start = cpu_seconds()
        model = SoftmaxRegression().fit(X, D)
        seconds = cpu_seconds() - start
        peak = max(megabytes for _, megabytes in client.run(worker_use).values())
        around = (before + floor()) / 2
    return {"seconds": seconds, "floor": around, "iterations": model.n_iter_, "megabytes": peak}


def blocks(X, D):
    """Return pairs of delayed partitions."""
    return zip(X.to_delayed(), D.to_delayed(), strict=True)


def predict_rows(folder: Path, n_rows: int, environment: dict[str, str]) -> tuple[float, float]:
    """Run the command on a CSV file; return its CPU seconds and peak megabytes."""
    import pandas as pd

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    D = rng.dirichlet(np.ones(3), size=1_000)
    save(BDLDL().fit(X[:1_000], D), folder / "model.skops")
    X.to_csv(folder / "rows.csv", index=False)
    names = ("model.skops", "rows.csv", "-o", "predicted.csv")
    command = [sys.executable, "-c", USE_OF_CHILD, sys.executable, "-m", "labeldist", "predict"]
    done = subprocess.run(  # noqa: S603
        [*command, *names], check=True, capture_output=True, cwd=folder, env=environment
    )
    seconds, kilobytes = done.stdout.split()[-2:]
    return float(seconds), float(kilobytes) / 1024


def main() -> None:
    """Print one row for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        way, folder = options.one
        print(json.dumps((by_stream if way == "stream" else by_dask)(folder)))
        return
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with TemporaryDirectory() as folder:
        seconds, megabytes = predict_rows(Path(folder), 1_000_000, environment)
    print(f"labeldist predict, 1,000,000 × 3: {seconds:.1f} s of CPU time, {megabytes:.0f} MB\n")
    columns = ("iterations", "CPU s", "iterations × floor, s", "ratio", "peak MB of a process")
    print(table("way", "rows", *columns))
    with TemporaryDirectory() as folder:
        write(Path(folder), options.rows)
        for way in ("stream", "dask"):
            command = [sys.executable, "-m", "benchmarks.large_tables", "--one", way, folder]
            done = subprocess.run(  # noqa: S603
                command, check=True, capture_output=True, env=environment
            )
            found = json.loads(done.stdout.splitlines()[-1])
            floor = found["iterations"] * found["floor"]
            ratio = f"{found['seconds'] / floor:.2f}"
            cells = (found["iterations"], f"{found['seconds']:.0f}", f"{floor:.0f}", ratio)
            print(row(way, f"{options.rows:,}", *cells, f"{found['megabytes']:.0f}"), flush=True)


if __name__ == "__main__":
    main()
