"""``labeldist reproduce``: run the paper's experiments and write the report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from labeldist._files import check_folder
from labeldist.cli import options
from labeldist.cli.report import OUT, OUT_HELP, write_outputs
from labeldist.cli.telling import Teller

if TYPE_CHECKING:
    from labeldist.experiments.store import Outcome

FAILURES = 3
"""The exit code where everything ran, but some runs failed or took too long."""


def _check_jobs(jobs: int) -> int:
    if jobs == 0:
        raise typer.BadParameter("at least one process is needed; -1 is one a core.")
    return jobs


def reproduce(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(help="Experiments, or paths of specs (.toml). All of the paper's if none is named."),
    ] = None,
    store: Annotated[Path, typer.Option(help="Where the raw records are, or go. What it has is not run again.")] = Path(
        "labeldist.sqlite"
    ),
    out: Annotated[Path, typer.Option(help=OUT_HELP)] = OUT,
    datasets: Annotated[
        list[str] | None,
        typer.Option("--dataset", help="Run on this set instead of those of the spec; may be given several times."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Processes at once, each with one thread; -1 is one a core.", callback=_check_jobs)
    ] = -1,
    cluster: Annotated[str | None, typer.Option(help="Address of a Dask scheduler whose workers do the runs.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed or took too long.")] = False,
    rescue: Annotated[
        Path | None, typer.Option(help="A damaged store, from which --store takes over what is whole.")
    ] = None,
    show_spec: Annotated[
        bool, typer.Option("--show-spec", help="Print the spec, to copy and change, and exit.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Run the paper's experiments, honestly, and write one report.

    Interrupted at any moment, the same command goes on where it was.

    **Examples**

    `labeldist reproduce quick` — a small version of everything, in a minute, without a download

    `labeldist reproduce` — the whole experimental section, on the thirteen benchmark sets

    `labeldist reproduce parameters --dataset SBU_3DFE` — the heat maps on another set

    `labeldist reproduce le-recovery --show-spec > mine.toml` — a spec to change, and to give to `labeldist reproduce`
    """
    from labeldist.experiments.runner import run
    from labeldist.experiments.spec import DEFAULT, load_spec, restrict, runs_of, shipped
    from labeldist.experiments.store import Store

    if show_spec:
        if not experiments or len(experiments) > 1:
            raise typer.BadParameter(f"--show-spec takes the name of one experiment: {', '.join(shipped())}.")
        print(spec_text(experiments[0]), end="")
        return
    check_folder(out)
    chosen = experiments or list(DEFAULT)
    specs = [load_spec(name) for name in chosen]
    if datasets:
        specs = [restrict(spec, datasets) for spec in specs]
    with Store(store) as records:
        if rescue:
            from labeldist.experiments.rescue import rescue as take_over

            print(f"labeldist: {take_over(rescue, records)} run(s) of {rescue} are taken over.", file=sys.stderr)
        damaged = records.forget_damaged()
        if damaged:
            print(f"labeldist: {damaged} damaged run(s) of {store} are done again.", file=sys.stderr)
        if retry:
            records.forget_failures(one.key for spec in specs for one in runs_of(spec))
        with _progress() as watch:
            run(specs, records, jobs=jobs, cluster=cluster, watch=watch)
        frame = records.records()
    facts = write_outputs(frame, out)
    Teller(as_json=as_json).result(facts["page"], facts)
    if facts["failed"]:
        print(
            f"labeldist: {facts['failed']} run(s) failed or took too long; --retry tries them again.", file=sys.stderr
        )
        raise typer.Exit(FAILURES)


def spec_text(name: str) -> str:
    """Return the text of a shipped spec."""
    from labeldist.experiments.spec import load_spec, shipped

    load_spec(name)  # which says what is wrong with the name
    folder = resources.files("labeldist.experiments") / "specs"
    return (folder / f"{name}.toml").read_text("utf-8") if name in shipped() else Path(name).read_text("utf-8")


@contextmanager
def _progress() -> Iterator[Callable[[int, int, Outcome | None], None]]:
    """Show on a terminal how far it is and how long still; of a pipe, only what failed."""
    console = Console(file=sys.stderr)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, speed_estimate_period=600) as progress:
        task = progress.add_task("looking at the store", total=None)

        def watch(done: int, total: int, outcome: Outcome | None) -> None:
            progress.update(task, completed=done, total=total)
            if outcome:
                progress.update(task, description=outcome.run.title)
                if outcome.status != "ok":
                    console.print(
                        f"{outcome.run.title}: {outcome.status} ({outcome.reason})", style="yellow", markup=False
                    )

        yield watch
