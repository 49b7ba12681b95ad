"""``labeldist compare``: compare methods on data sets as a TOML file describes it."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from labeldist._files import write_whole
from labeldist._tables.messages import listed
from labeldist.cli import io, options, pictures
from labeldist.cli.reporter import Reporter
from labeldist.exceptions import LabelDistError, TableError


def compare(
    spec: Annotated[str, typer.Argument(help="TOML file with data sets and methods.")],
    measure: Annotated[
        str, typer.Option(help="Measure of the table, the tests and the picture.")
    ] = "kl_divergence",
    against: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Method to test against. Default: the first."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Results, to continue from. Default: SPEC.sqlite."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1 is one per core.")] = 1,
    latex: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write the table in LaTeX.")
    ] = None,
    picture: options.Picture = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Compare methods on data sets by cross-validation, with significance tests.

    The file lists `datasets` of the registry, or own tables in `[tables.NAME]` with `file` and
    `labels`. Each `[methods.NAME]` is a published method of that name, or has an entry `import`,
    such as `mine:MyRidge` for the class of a module in this folder; other entries are parameters.
    `task = "enhancers"` compares enhancers by recovery. `cv`, `measures`, `random_state`,
    `threshold` and `repeats` are optional. An interrupted command continues where it was.

    **Examples**

    - `labeldist compare spec.toml`
    - `labeldist compare spec.toml --measure clark --against mine --latex clark.tex`
    """
    from labeldist import comparison
    from labeldist.comparison._compare import TRIVIAL_ENHANCERS, TRIVIAL_LEARNERS
    from labeldist.metrics import PAPER_MEASURES
    from labeldist.metrics._measures import select_measures

    reporter = Reporter(as_json=as_json)
    io.check_outputs(latex, picture, force=force)
    content = _read(spec)
    enhance = content.pop("task", "learners") == "enhancers"
    run = comparison.compare_enhancers if enhance else comparison.compare
    trivial = TRIVIAL_ENHANCERS if enhance else TRIVIAL_LEARNERS
    try:
        methods = {name: _method(name, entries) for name, entries in content.pop("methods").items()}
        datasets = _datasets(content)
        known = select_measures(content.get("measures", PAPER_MEASURES))
        _check_name("--measure", measure, known)
        _check_name("--against", against, {**methods, **trivial})
        found = run(methods, datasets, store=store or f"{spec}.sqlite", n_jobs=jobs, **content)
        tests = found.test(measure, against=against)
    except KeyError as error:
        raise LabelDistError(f"{spec} lacks the entry {error}.") from None
    except (TypeError, ValueError, ImportError, AttributeError) as error:
        raise LabelDistError(f"{spec}: {error}") from None
    for (method, dataset), reason in found.failures.items():
        reporter.note(f"{method} failed on {dataset}: {reason}")
    if latex:
        write_whole(latex, found.to_latex(measure).encode(), overwrite=force)
    if picture:
        pictures.save_drawn(found.plot(measure), picture, force=force)
    means = {
        dataset: {name: cell.mean for name, cell in cells.items() if cell.rank > 0}
        for dataset, cells in found.cells(measure).items()
    }
    facts = {
        "measure": measure,
        "means": means,
        "ranks": tests.ranks,
        "pvalues": {name: test.pvalue for name, test in tests.over_sets.items()},
        "against": tests.against,
    }
    reporter.result(f"{found.to_markdown(measure)}\n{tests}", facts)


def _read(spec: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(spec).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TableError(f"{spec} cannot be read: {error}.") from None


def _check_name(option: str, name: str | None, known: Iterable[str]) -> None:
    """Raise an error for a name of an option that the comparison will not have."""
    if name not in (None, *known):
        raise typer.BadParameter(f"{option} {name} is not compared; choose from {listed(known)}.")


def _method(name: str, entries: dict[str, Any]) -> Any:
    """Return a published method, or an estimator of an imported class."""
    from labeldist.comparison import published

    parameters = dict(entries)
    target = parameters.pop("import", None)
    if target is None:
        return published(name).set_params(**parameters)
    module, _, attribute = target.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return getattr(import_module(module), attribute)(**parameters)


def _datasets(content: dict[str, Any]) -> Any:
    """Return features and degrees of all data sets by name."""
    from labeldist.datasets import load_dataset, read_labelled

    if not {"datasets", "tables"} & set(content):
        raise KeyError("datasets or tables")
    names = content.pop("datasets", [])
    found = {name: load_dataset(name, return_X_y=True) for name in names}
    for name, entries in content.pop("tables", {}).items():
        table = read_labelled(entries.pop("file"), **entries)
        found[name] = table.X.to_numpy(), table.Y.to_numpy()
    return found
