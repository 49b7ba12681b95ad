"""Experiments as data: a TOML file says which sets, methods, protocol, measures and seeds; this reads and checks it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import product
from math import prod
from operator import mul
from pathlib import Path
from typing import Any

from labeldist.exceptions import did_you_mean
from labeldist.experiments.errors import SpecError
from labeldist.experiments.material import SETS, is_known_set
from labeldist.experiments.methods import GROUND_TRUTH, ROLES, build, count_points, expand_grid, is_enhancer
from labeldist.experiments.toml_text import LARGEST, read_toml
from labeldist.metrics import MEASURES

KINDS = ("recovery", "prediction", "chain", "grid")
NAME = re.compile(r"[\w-]{1,100}")
SEEDS = range(2**32)
"""What NumPy takes."""

MOST_FOLDS, MOST_POINTS, MOST_RUNS = 1000, 10_000, 1_000_000
LONGEST = 1e9
"""Seconds that a run may be given, some thirty years; alarms cannot be set much later."""

DEFAULT = ("le-recovery", "ldl-prediction", "le-then-ldl", "ablation", "parameters")
"""What runs if no experiment is named: the whole experimental section."""


@dataclass(frozen=True)
class Method:
    """A method of an experiment.

    Attributes
    ----------
    name : str
        As it is shown.
    use : str
        The estimator's name; see `labeldist.experiments.methods`.
    role : str
        ``"paper"``, ``"trivial"``, ``"ours"``, ``"oracle"`` or ``"control"``.
    parameters : dict
    grid : dict
        Lists of values. An oracle's best value of each measure is kept; of a part of kind grid, every value.
    seeds : tuple of int or None
        Other seeds than the experiment's.
    """

    name: str
    use: str
    role: str = "paper"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    seeds: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Part:
    """Methods under one protocol.

    Attributes
    ----------
    kind : str
        ``"recovery"``: enhance all rows, compare with the truth. ``"prediction"``: learn from nine folds, predict the
        tenth. ``"chain"``: enhance, learn from what was recovered, predict held-out rows. ``"grid"``: as recovery or
        prediction, for every point of a grid.
    methods : tuple of Method
    learners : tuple of Method
        Of a chain: they learn from what its methods recover.
    variant : str
    transductive : bool
        Of a chain: whether the enhancers see the held-out rows (not their truth) as well.
    folds : int
    """

    kind: str
    methods: tuple[Method, ...]
    learners: tuple[Method, ...] = ()
    variant: str = ""
    transductive: bool = False
    folds: int = 10


@dataclass(frozen=True)
class Experiment:
    """What a spec says."""

    name: str
    title: str
    datasets: tuple[str, ...]
    parts: tuple[Part, ...]
    seeds: tuple[int, ...] = (0,)
    measures: tuple[str, ...] = tuple(MEASURES)
    time_limit: float = 1800.0


@dataclass(frozen=True)
class Run:
    """One piece of work: a method on a set, and a fold of it where the protocol has folds."""

    experiment: str
    kind: str
    dataset: str
    method: Method
    variant: str
    learners: tuple[Method, ...]
    transductive: bool
    folds: int
    seed: int
    fold: int
    measures: tuple[str, ...]
    time_limit: float

    @property
    def key(self) -> str:
        """All that decides the outcome, as text: what a store knows a finished run by."""
        methods = [(m.name, m.use, dict(m.parameters), dict(m.grid)) for m in (self.method, *self.learners)]
        what = (self.experiment, self.kind, self.dataset, self.variant, self.transductive)
        return json.dumps([*what, self.folds, self.seed, self.fold, self.measures, methods], sort_keys=True)

    @property
    def place(self) -> str:
        """Where the report shows the outcome: what must not hold the outcomes of two definitions."""
        point = dict(self.method.parameters) if self.kind == "grid" else {}
        what = (self.experiment, self.kind, self.dataset, self.variant, self.transductive, self.method.name)
        return json.dumps([*what, point, self.seed, self.fold], sort_keys=True)

    @property
    def title(self) -> str:
        """For a person who watches."""
        fold = f", fold {self.fold + 1}" if self.fold >= 0 else ""
        return f"{self.experiment}: {self.method.name} on {self.dataset}{fold}"


def folds_of(key: str) -> int:
    """Return how many folds the protocol of a run has, from the run's key; recovery has one, all rows."""
    _, kind, *_, methods = content = json.loads(key)
    recovers = kind == "recovery" or (kind == "grid" and is_enhancer(methods[0][1]))
    return 1 if recovers else int(content[5])


def runs_of(experiment: Experiment) -> Iterator[Run]:
    """Yield the runs of an experiment."""
    for dataset in experiment.datasets:
        for part in experiment.parts:
            for method in part.methods:
                for point in expand_grid(method) if part.kind == "grid" else [method]:
                    for seed, fold in product(*_seeds_and_folds(experiment, part, method)):
                        yield Run(
                            experiment.name,
                            part.kind,
                            dataset,
                            point,
                            part.variant or (method.name if part.kind == "grid" else ""),
                            part.learners,
                            part.transductive,
                            part.folds,
                            seed,
                            fold,
                            experiment.measures,
                            experiment.time_limit,
                        )


ALL_FOLDS = -1
"""The fold of a run that goes through all of them, or has none."""


def _seeds_and_folds(experiment: Experiment, part: Part, method: Method) -> tuple[Sequence[int], Sequence[int]]:
    if part.kind == "recovery" or (part.kind == "grid" and is_enhancer(method.use)):
        return experiment.seeds[:1], (ALL_FOLDS,)
    seeds = method.seeds or experiment.seeds
    return seeds, (ALL_FOLDS,) if part.kind == "grid" or part.transductive else range(part.folds)


def _count_runs(experiment: Experiment) -> int:
    """Count what `runs_of` yields, without making it."""
    pairs = [(part, method) for part in experiment.parts for method in part.methods]
    repeats = [prod(map(len, _seeds_and_folds(experiment, part, method))) for part, method in pairs]
    points = [count_points(method) if part.kind == "grid" else 1 for part, method in pairs]
    return len(experiment.datasets) * sum(map(mul, repeats, points))


def shipped() -> list[str]:
    """Return the names of the experiments that come with the package."""
    folder = resources.files("labeldist.experiments") / "specs"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def load_spec(name: str) -> Experiment:
    """Read a shipped experiment by its name, or a user's by its path."""
    if name in shipped():
        source = resources.files("labeldist.experiments") / "specs" / f"{name}.toml"
        return parse_spec(source.read_bytes(), name)
    path = Path(name)
    if path.suffix != ".toml":
        hint = did_you_mean(name, shipped())
        raise SpecError(
            f"There is no experiment {name!r}.{hint} There are {', '.join(shipped())}; or name a .toml file."
        )
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}.") from None
    return parse_spec(content, str(path))


def parse_spec(content: bytes, where: str) -> Experiment:
    """Make an experiment of TOML text, or say what is wrong in it."""
    reader = _Table(read_toml(content, where), where)
    datasets = reader.take("datasets", list, str)
    if isinstance(datasets, str) and datasets != "all":
        raise SpecError(f'{where}: datasets must be "all" or a list of names; got {datasets!r}.')
    datasets = SETS if datasets == "all" else tuple(datasets)
    experiment = Experiment(
        reader.take("name", str),
        reader.take("title", str),
        datasets,
        tuple(_part(part, where) for part in reader.take("part", list)),
        tuple(reader.take("seeds", list, default=[0])),
        tuple(reader.take("measures", list, default=list(MEASURES))),
        reader.take("time_limit", int, float, default=1800.0),
    )
    reader.end()
    _check(experiment, where)
    return experiment


def _part(table: Any, where: str) -> Part:
    reader = _Table(table, f"{where}, a part")
    part = Part(
        reader.take("kind", str),
        tuple(_method(method, where) for method in reader.take("method", list)),
        tuple(_method(method, where) for method in reader.take("learner", list, default=[])),
        reader.take("variant", str, default=""),
        reader.take("transductive", bool, default=False),
        reader.take("folds", int, default=10),
    )
    reader.end()
    return part


def _method(table: Any, where: str) -> Method:
    reader = _Table(table, f"{where}, a method")
    seeds = reader.take("seeds", list, default=[])
    method = Method(
        reader.take("name", str),
        reader.take("use", str),
        reader.take("role", str, default="paper"),
        reader.take("parameters", dict, default={}),
        reader.take("grid", dict, default={}),
        tuple(seeds) or None,
    )
    reader.end()
    return method


class _Table:
    """A TOML table whose entries are taken one by one; what is left over is a mistake."""

    def __init__(self, table: Any, where: str) -> None:
        if not isinstance(table, dict):
            raise SpecError(f"{where} must be a table; got {table!r}.")
        self.left, self.where = dict(table), where

    def take(self, key: str, *types: type, default: Any = None) -> Any:
        if key not in self.left:
            if default is None:
                raise SpecError(f"{self.where}: {key} is missing.")
            return default
        value = self.left.pop(key)
        if not isinstance(value, types):
            wanted = " or ".join(kind.__name__ for kind in types)
            raise SpecError(f"{self.where}: {key} must be of type {wanted}; got {value!r}.")
        return value

    def end(self) -> None:
        if self.left:
            raise SpecError(f"{self.where}: {', '.join(self.left)} is not known here.")


def _check(experiment: Experiment, where: str) -> None:
    for refused, reason in (
        (
            not NAME.fullmatch(experiment.name),
            "name may have up to 100 letters, digits, - and _ only; files are named by it",
        ),
        (not experiment.datasets, "there are no sets"),
        (not experiment.parts, "there are no parts"),
        (not experiment.seeds, "there are no seeds"),
        (not experiment.measures, "there are no measures"),
        (
            not 0 < experiment.time_limit <= LONGEST,
            f"time_limit must be a positive number of seconds up to {LONGEST:g}",
        ),
    ):
        if refused:
            raise SpecError(f"{where}: {reason}.")
    methods = [method for part in experiment.parts for method in (*part.methods, *part.learners)]
    for seeds in (experiment.seeds, *(method.seeds or () for method in methods)):
        if not all(type(seed) is int and seed in SEEDS for seed in seeds):
            raise SpecError(f"{where}: seeds must be whole numbers from 0 to {SEEDS[-1]}.")
    if list(experiment.seeds) != sorted(set(experiment.seeds)):
        raise SpecError(f"{where}: seeds must ascend; the tables show the first.")
    for what, chosen, known in (
        ("set", experiment.datasets, SETS),
        ("measure", experiment.measures, tuple(MEASURES)),
        ("kind", [part.kind for part in experiment.parts], KINDS),
        ("role", [method.role for method in methods], ROLES),
    ):
        for name in chosen:
            if name not in known and not (what == "set" and is_known_set(name)):
                hint = did_you_mean(str(name), known)
                raise SpecError(f"{where}: there is no {what} {name!r}.{hint} There are {', '.join(known)}.")
    _check_parameters(methods, where)
    for method in methods:
        if method.seeds and experiment.seeds[0] not in method.seeds:
            raise SpecError(f"{where}: the seeds of {method.name} must have {experiment.seeds[0]} among them.")
    for part in experiment.parts:
        _check_part(part, where)
    if _count_runs(experiment) > MOST_RUNS:
        raise SpecError(
            f"{where}: these are {_count_runs(experiment):,} runs, and more than {MOST_RUNS:,} are refused."
        )


def _check_parameters(methods: Sequence[Method], where: str) -> None:
    for method in methods:
        if not all(isinstance(values, list) and values for values in method.grid.values()):
            raise SpecError(f"{where}: the grid of {method.name} must have a list of values for each parameter.")
        try:
            json.dumps([method.parameters, method.grid])
        except TypeError as error:  # dates and times, which no estimator takes
            raise SpecError(f"{where}: a parameter of {method.name} cannot be kept in the records: {error}.") from None
    if sum(map(count_points, methods)) > MOST_POINTS:
        raise SpecError(f"{where}: the grids have more than {MOST_POINTS:,} points.")
    for method in methods:
        for point in expand_grid(method):
            build(point.use, point.parameters, where)


def _check_part(part: Part, where: str) -> None:
    enhances = [is_enhancer(method.use) for method in part.methods]
    names = [method.name for method in part.methods]
    for refused, reason in (
        (not part.methods, "a part has no methods"),
        (len(set(names)) < len(names), f"a part has two methods of one name: {', '.join(names)}"),
        (len({learner.name for learner in part.learners}) < len(part.learners), "a chain has two learners of one name"),
        (part.kind in ("recovery", "chain") and not all(enhances), f"a part of kind {part.kind} has enhancers only"),
        (part.kind == "prediction" and any(enhances), "a part of kind prediction has learners only"),
        (any(is_enhancer(learner.use) for learner in part.learners), "the learners of a chain must be learners"),
        ((part.kind == "chain") != bool(part.learners), "a part of kind chain has learners, and no other part has"),
        (
            part.kind != "chain" and any(method.use == GROUND_TRUTH for method in part.methods),
            f"{GROUND_TRUTH} is for chains only",
        ),
        (part.kind == "chain" and part.variant != "", "the variants of a chain are its learners"),
        (not 2 <= part.folds <= MOST_FOLDS, f"folds must be at least 2, and at most {MOST_FOLDS:,}"),
        (
            any(method.grid and not (part.kind == "grid" or _is_oracle(part, method)) for method in part.methods),
            'only a part of kind grid, and in a recovery a method of role "oracle", can have a grid: the best of it is '
            "chosen by the truth",
        ),
    ):
        if refused:
            raise SpecError(f"{where}: {reason}.")


def _is_oracle(part: Part, method: Method) -> bool:
    return part.kind == "recovery" and method.role == "oracle"


def restrict(experiment: Experiment, datasets: Sequence[str]) -> Experiment:
    """Return the experiment on other sets."""
    chosen = replace(experiment, datasets=tuple(datasets))
    _check(chosen, "--dataset")
    return chosen
