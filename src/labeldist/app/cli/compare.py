"""``labeldist compare``: compare methods on data sets as a TOML file describes it."""

from __future__ import annotations

import os
import sys
import tomllib
import traceback
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from labeldist.app.cli import options, pictures
from labeldist.app.cli import table_files as tables
from labeldist.app.cli.reporter import Reporter
from labeldist.exceptions import TableError
from labeldist.utils import did_you_mean, listed, whole_file

SECTIONS = ("task", "datasets", "tables", "methods")
COMMON = {"measures": (str, list), "random_state": int}
ENTRIES: dict[str, dict[str, Any]] = {
    "learners": {"cv": int, **COMMON},
    "enhancers": {"threshold": (int, float), "repeats": int, **COMMON},
}
BASELINES = {"learners": ("Mean",), "enhancers": ("Uniform", "LogicalSoftmax")}
OF_TABLES = ("file", "labels", "features", "ignore")


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
    again: Annotated[
        bool, typer.Option("--again", help="Run everything again, and replace stored results.")
    ] = False,
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
    `threshold` and `repeats` are optional. The command runs the code that the file names: use
    only files that you trust.

    An interrupted command continues where it was. A stored result is used again if the source of
    the method, its parameters, the data and the versions of the packages are the same. Failures
    run again.

    **Examples**

    - `labeldist compare spec.toml`
    - `labeldist compare spec.toml --measure clark --against mine --latex clark.tex`
    """
    from labeldist import comparison

    reporter = Reporter(as_json=as_json)
    tables.check_outputs(latex, picture, force=force)
    content = _read(spec)
    task = _task(spec, content)
    enhance = task == "enhancers"
    run = comparison.compare_enhancers if enhance else comparison.compare
    path = store or f"{spec}.sqlite"
    with reporter.noting():
        settings = _settings(spec, content, ENTRIES[task])
        methods = _methods(spec, content, "fit_transform" if enhance else "fit")
        datasets = _datasets(spec, content)
        known = options.measures_in(settings.get("measures", "paper"))
        _check_name("--measure", measure, known)
        _check_name("--against", against, [*methods, *BASELINES[task]])
        found = run(methods, datasets, store=path, n_jobs=jobs, again=again, **settings)
        tests = found.test(measure, against=against)
        summary = found.summary(measure, against=against)
    n_runs = len({record[:3] for record in found.records})
    if found.n_stored:
        stored = f"{found.n_stored} of {n_runs} results are from {path}"
        reporter.note(f"{stored}; --again computes them anew.")
    for (method, dataset), reason in found.failures.items():
        reporter.note(f"{method} failed on {dataset}: {reason}")
    if latex:
        with whole_file(latex, overwrite=force) as file:
            file.write(found.to_latex(measure).encode())
    if picture:
        pictures.save_drawn(found.plot(measure), picture, force=force)
    means = {
        dataset: {name: cell["mean"] for name, cell in cells.items() if cell["rank"] > 0}
        for dataset, cells in found.cells(measure).items()
    }
    facts = {
        "measure": measure,
        "means": means,
        "ranks": tests["ranks"],
        "pvalues": {name: test["pvalue"] for name, test in tests["over_sets"].items()},
        "against": against or found.methods[0],
        "stored": found.n_stored,
    }
    reporter.result(f"{found.to_markdown(measure)}\n{summary}", facts)


def _read(spec: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(spec).read_text(encoding="utf-8"))
    except RecursionError:
        raise TableError(f"{spec} cannot be read: it is nested too deeply.") from None
    except (OSError, ValueError) as error:
        raise TableError(f"{spec} cannot be read: {error}.") from None


def _task(spec: str, content: dict[str, Any]) -> str:
    task = content.get("task", "learners")
    if task not in ("learners", "enhancers"):
        raise TableError(f'{spec}: task must be "learners" or "enhancers"; got {task!r}.')
    return str(task)


def _settings(spec: str, content: dict[str, Any], entries: dict[str, Any]) -> dict[str, Any]:
    """Return the entries that are options of the comparison; raise for unknown entries."""
    _check_entries(spec, content, [*SECTIONS, *entries])
    settings = {name: content[name] for name in entries if name in content}
    for name, value in settings.items():
        if not isinstance(value, entries[name]) or isinstance(value, bool):
            raise TableError(f"{spec}: {name} cannot be {value!r}.")
    return settings


def _check_entries(place: str, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            suggestion = did_you_mean(name, known)
            entries = f"The entries are {listed(known)}."
            raise TableError(f"{place} has an unknown entry {name!r}.{suggestion} {entries}")


def _tables(spec: str, content: dict[str, Any], section: str) -> dict[str, dict[str, Any]]:
    """Return the tables ``[section.NAME]`` by name."""
    found = content.get(section, {})
    if isinstance(found, dict) and all(isinstance(table, dict) for table in found.values()):
        return found
    raise TableError(f"{spec}: {section} must be tables [{section}.NAME].")


def _check_name(option: str, name: str | None, known: Iterable[str]) -> None:
    """Raise an error for a name of an option that the comparison will not have."""
    if name not in (None, *known):
        raise typer.BadParameter(f"{option} {name} is not compared; choose from {listed(known)}.")


def _methods(spec: str, content: dict[str, Any], needed: str) -> dict[str, Any]:
    """Return estimators by name: published methods, and those of imported classes."""
    from labeldist.published import make_published

    if "methods" not in content:
        raise TableError(f"{spec} lacks the entry 'methods'.")
    methods = {}
    for name, entries in _tables(spec, content, "methods").items():
        parameters = dict(entries)
        target = parameters.pop("import", None)
        try:
            if target is None:
                methods[name] = make_published(name).set_params(**parameters)
            else:
                methods[name] = _import_class(target, needed)(**parameters)
        except (TypeError, ValueError) as error:
            raise TableError(f"{spec}: [methods.{name}]: {error}") from error
        except Exception as error:  # of any type, from the code of the class
            problem = f"{type(error).__name__}: {error}"
            raise TableError(f"{spec}: [methods.{name}]: {problem} ({_origin(error)})") from error
    return methods


def _origin(error: Exception) -> str:
    """Return the file and line that raised an error."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}, line {last.lineno}"


def _import_class(target: Any, needed: str) -> Any:
    """Import a class with the needed method; nothing is called before this is checked."""
    module, _, name = str(target).partition(":")
    if not module or not name:
        raise ValueError(f'import must be like "module:Class"; got {target!r}.')
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        content = import_module(module)
    except ImportError as error:
        raise ValueError(f"{target} cannot be imported: {error}.") from error
    found = getattr(content, name, None)
    if found is None:
        raise ValueError(f"{module} has no class {name!r}.{did_you_mean(name, dir(content))}")
    if not isinstance(found, type) or not callable(getattr(found, needed, None)):
        raise TypeError(f"{target} is not a class with the method {needed}.")
    return found


def _datasets(spec: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return features and degrees of all data sets by name."""
    from labeldist.app.tables.column_selection import read_labelled
    from labeldist.datasets import load_dataset

    if not {"datasets", "tables"} & set(content):
        raise TableError(f"{spec} lacks the entry 'datasets' or 'tables'.")
    names = content.get("datasets", [])
    if not isinstance(names, list):
        raise TableError(f"{spec}: datasets must be a list of names; got {names!r}.")
    found = {name: load_dataset(name, return_X_y=True) for name in names}
    for name, entries in _tables(spec, content, "tables").items():
        place = f"{spec}: [tables.{name}]"
        _check_entries(place, entries, OF_TABLES)
        for needed in ("file", "labels"):
            if needed not in entries:
                raise TableError(f"{place} lacks the entry {needed!r}.")
        options = dict(entries)
        table = read_labelled(options.pop("file"), **options)
        found[name] = table.X.to_numpy(), table.Y.to_numpy()
    return found
