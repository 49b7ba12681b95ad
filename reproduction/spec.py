"""Specifications of experiments: TOML files that name data sets, methods, protocols and seeds."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from sklearn.model_selection import ParameterGrid

from labeldist.datasets import list_datasets
from reproduction.data import is_known_set
from reproduction.errors import SpecError
from reproduction.methods import GROUND_TRUTH, build, is_enhancer

FOLDER = Path(__file__).parent / "specs"
KINDS = ("recovery", "prediction", "chain", "new-rows", "grid")
ROLES = ("paper", "trivial", "ours", "oracle", "control")
NAME = re.compile(r"[\w-]+")
TAGS = re.compile(r"threshold 0?\.\d+|flip 0?\.\d+|above uniform|top")

TYPES: dict[str, Any] = {
    "tuple": list,
    "Mapping": dict,
    "str": str,
    "int": int,
    "bool": bool,
    "float": (int, float),
}
"""The TOML types of the entries of a specification."""

PAPER = ("le-recovery", "ldl-prediction", "le-then-ldl", "ablation", "parameters")
"""The experiments of the paper, which run if no experiment is named."""

ALL_FOLDS = -1
"""The fold of a run that includes all folds or has none."""


@dataclass(frozen=True)
class Method:
    """A method of an experiment.

    Attributes
    ----------
    name : str
        The name that tables show.
    use : str
        The name of the estimator; see `reproduction.methods`.
    role : str
        ``"paper"``, ``"trivial"``, ``"ours"``, ``"oracle"`` or ``"control"``.
    parameters : dict
        Parameters of the estimator.
    grid : dict
        Lists of parameter values. A part of kind grid keeps every point, an oracle the best value
        of each measure.
    seeds : tuple of int
        Seeds of this method if they differ from those of the experiment. In a recovery they are its
        `random_state`.
    attributes : tuple of str
        Fitted attributes that are recorded together with the measures of a recovery.
    """

    name: str
    use: str
    role: str = "paper"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """Methods under one protocol.

    Attributes
    ----------
    kind : str
        ``"recovery"``: enhance all rows, compare with the truth. ``"prediction"``: cross-validated
        prediction from true distributions. ``"chain"``: enhance, learn from the result, predict
        held-out rows. ``"new-rows"``: learn from logical labels, predict held-out rows. ``"grid"``:
        recovery or prediction for every point of a grid.
    methods : tuple of Method
    learners : tuple of Method
        The learners of a chain.
    variant : str
        Distinguishes parts of the same kind.
    transductive : bool
        Whether the enhancers of a chain see the features and logical labels of the held-out rows as
        well.
    folds : int
    tags : str
        How logical labels are made; see `reproduction.data.make_tags`.
    datasets : tuple of str
        Data sets if they differ from those of the experiment.
    missing : tuple of float
        Shares of the training degrees that a prediction hides from its methods as NaN, one variant
        for each.
    """

    kind: str
    methods: tuple[Method, ...]
    learners: tuple[Method, ...] = ()
    variant: str = ""
    transductive: bool = False
    folds: int = 10
    tags: str = "threshold 0.5"
    datasets: tuple[str, ...] = ()
    missing: tuple[float, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A parsed specification."""

    name: str
    title: str
    datasets: tuple[str, ...]
    parts: tuple[Part, ...]
    seeds: tuple[int, ...] = (0,)
    time_limit: float = 1800.0


@dataclass(frozen=True)
class Run:
    """One unit of work: a method on a data set, for one fold where the protocol has folds."""

    experiment: str
    kind: str
    dataset: str
    method: Method
    variant: str
    learners: tuple[Method, ...]
    transductive: bool
    folds: int
    tags: str
    seed: int
    fold: int
    time_limit: float
    missing: float = 0.0

    @property
    def key(self) -> str:
        """The identity of a run: everything that determines its values and its place in tables."""
        names = [method.name for method in (self.method, *self.learners)]
        return json.dumps([self.experiment, self.variant, names, self.work])

    @property
    def work(self) -> str:
        """Everything that determines the values, as text; several experiments may share it."""
        methods = [
            (m.use, dict(m.parameters), dict(m.grid), m.attributes)
            for m in (self.method, *self.learners)
        ]
        oracle = self.method.role == "oracle"
        what = (
            self.kind,
            self.dataset,
            self.transductive,
            self.folds,
            self.tags,
            self.seed,
            self.fold,
            oracle,
        )
        missing = (
            [self.missing] if self.missing else []
        )  # The keys of older stores have no such entry.
        return json.dumps([*what, *missing, methods], sort_keys=True)

    @property
    def place(self) -> str:
        """The cell of a table that shows the values; a store has one definition of it."""
        point = dict(self.method.parameters) if self.kind == "grid" else {}
        what = (
            self.experiment,
            self.kind,
            self.dataset,
            self.variant,
            self.transductive,
            self.method.name,
        )
        return json.dumps([*what, point, self.seed, self.fold], sort_keys=True)

    @property
    def title(self) -> str:
        """A description for progress and error messages."""
        fold = f", fold {self.fold + 1}" if self.fold >= 0 else ""
        return f"{self.experiment}: {self.method.name} on {self.dataset}{fold}"

    @property
    def n_folds(self) -> int:
        """The number of folds that the protocol has; a recovery has one."""
        return 1 if _recovers(self.kind, self.method) else self.folds


def expand_grid(method: Method) -> list[Method]:
    """Return one method for every point of the grid; the method itself if it has no grid."""
    points = ParameterGrid(dict(method.grid))
    return [replace(method, parameters={**method.parameters, **point}, grid={}) for point in points]


def runs_of(experiment: Experiment) -> Iterator[Run]:
    """Yield the runs of an experiment."""
    for part in experiment.parts:
        for dataset, method in product(part.datasets or experiment.datasets, part.methods):
            for point in expand_grid(method) if part.kind == "grid" else [method]:
                for missing, seed, fold in product(
                    part.missing or [0.0], *_seeds_and_folds(experiment, part, point)
                ):
                    variant = part.variant or (method.name if part.kind == "grid" else "")
                    yield Run(
                        experiment.name,
                        part.kind,
                        dataset,
                        _with_seed(point, seed) if _recovers(part.kind, point) else point,
                        f"{100 * missing:g} % missing" if missing else variant,
                        part.learners,
                        part.transductive,
                        part.folds,
                        part.tags,
                        seed,
                        fold,
                        experiment.time_limit,
                        missing,
                    )


def _recovers(kind: str, method: Method) -> bool:
    return kind == "recovery" or (kind == "grid" and is_enhancer(method.use))


def _with_seed(method: Method, seed: int) -> Method:
    """Let several seeds of a method that is fitted to all rows be its random states."""
    return (
        replace(method, parameters={**method.parameters, "random_state": seed})
        if method.seeds
        else method
    )


def _seeds_and_folds(
    experiment: Experiment, part: Part, method: Method
) -> tuple[Sequence[int], Sequence[int]]:
    seeds = method.seeds or experiment.seeds
    if _recovers(part.kind, method):
        return seeds if method.seeds or part.tags.startswith("flip") else seeds[:1], (ALL_FOLDS,)
    return seeds, (ALL_FOLDS,) if part.kind == "grid" or part.transductive else range(part.folds)


def shipped() -> list[str]:
    """Return the names of the experiments in ``reproduction/specs``."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_spec(name: str) -> Experiment:
    """Read a shipped experiment by its name, or another by the path of its TOML file."""
    path = FOLDER / f"{name}.toml" if name in shipped() else Path(name)
    if path.suffix != ".toml":
        raise SpecError(
            f"Unknown experiment {name!r}. Known: {', '.join(shipped())}, "
            "or the path of a .toml file."
        )
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}.") from None
    return parse_spec(text, name)


def parse_spec(text: str, where: str = "The spec") -> Experiment:
    """Parse and check the TOML text of an experiment.

    Parameters
    ----------
    text : str
    where : str
        How error messages name the text.

    Returns
    -------
    Experiment
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{where} is not valid TOML: {error}.") from None
    if content.get("datasets") == "all":
        content["datasets"] = list_datasets()
    parts = [_part(part, where) for part in content.pop("part", [])]
    experiment = _make(Experiment, {**content, "parts": parts}, where)
    _check(experiment, where)
    return experiment


def _part(content: dict[str, Any], where: str) -> Part:
    methods = [_make(Method, method, f"{where}, a method") for method in content.pop("method", [])]
    learners = [
        _make(Method, learner, f"{where}, a learner") for learner in content.pop("learner", [])
    ]
    return _make(Part, {**content, "methods": methods, "learners": learners}, f"{where}, a part")


def _make(kind: Any, content: dict[str, Any], where: str) -> Any:
    """Make a dataclass of a TOML table; lists become tuples."""
    known = kind.__dataclass_fields__
    if unknown := sorted(set(content) - set(known)):
        raise SpecError(
            f"{where}: unknown entry {', '.join(unknown)}. Known entries: {', '.join(known)}."
        )
    for name, value in content.items():
        wanted = str(known[name].type).partition("[")[0]
        if not isinstance(value, TYPES[wanted]):
            raise SpecError(f"{where}: {name} must be of type {wanted}; got {value!r}.")
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
    }
    try:
        return kind(**values)
    except TypeError as error:  # a missing entry
        raise SpecError(f"{where}: {error}") from None


def _check(experiment: Experiment, where: str) -> None:
    methods = [method for part in experiment.parts for method in (*part.methods, *part.learners)]
    datasets = {
        *experiment.datasets,
        *(name for part in experiment.parts for name in part.datasets),
    }
    for wrong, message in (
        (not NAME.fullmatch(experiment.name), "name may have letters, digits, - and _ only"),
        (not experiment.datasets, "datasets is empty"),
        (not experiment.parts, "there is no part"),
        (not experiment.seeds, "seeds is empty"),
        (experiment.time_limit <= 0, "time_limit must be positive"),
    ):
        if wrong:
            raise SpecError(f"{where}: {message}.")
    for what, chosen, known in (
        ("data set", sorted(name for name in datasets if not is_known_set(name)), list_datasets()),
        ("kind", [part.kind for part in experiment.parts], KINDS),
        ("role", [method.role for method in methods], ROLES),
    ):
        for name in chosen:
            if name not in known:
                raise SpecError(f"{where}: unknown {what} {name!r}. Known: {', '.join(known)}.")
    for seeds in (experiment.seeds, *(method.seeds for method in methods)):
        if not all(type(seed) is int and 0 <= seed < 2**32 for seed in seeds) or list(
            seeds
        ) != sorted(set(seeds)):
            raise SpecError(
                f"{where}: seeds must be ascending integers from 0 to 2**32 - 1; got {list(seeds)}."
            )
    for method in methods:
        if not all(isinstance(values, list) and values for values in method.grid.values()):
            raise SpecError(
                f"{where}: the grid of {method.name} needs a list of values for each parameter."
            )
        for point in expand_grid(method):
            build(point.use, point.parameters, f"{where}, {method.name}")
    for part in experiment.parts:
        _check_part(part, where)


def _check_part(part: Part, where: str) -> None:
    names, enhancers = (
        [method.name for method in part.methods],
        [is_enhancer(method.use) for method in part.methods],
    )
    learner_names = [learner.name for learner in part.learners]
    grids = [method.name for method in part.methods if method.grid and method.role != "oracle"]
    for wrong, message in (
        (not names, "a part has no methods"),
        (
            len(set(names)) < len(names),
            f"two methods of a part have the same name: {', '.join(names)}",
        ),
        (
            len(set(learner_names)) < len(learner_names),
            f"two learners have the same name: {', '.join(learner_names)}",
        ),
        (
            part.kind in ("recovery", "chain") and not all(enhancers),
            f"the methods of a {part.kind} must be enhancers",
        ),
        (
            part.kind == "prediction" and any(enhancers),
            "the methods of a prediction must be learners",
        ),
        (
            any(is_enhancer(learner.use) for learner in part.learners),
            "the learners of a chain must be learners",
        ),
        (
            (part.kind == "chain") != bool(part.learners),
            "a chain needs learners, and no other part has them",
        ),
        (
            part.kind != "chain" and any(m.use == GROUND_TRUTH for m in part.methods),
            f"{GROUND_TRUTH} is for chains",
        ),
        (
            part.kind == "chain" and part.variant != "",
            "a chain has no variant: its learners are its variants",
        ),
        (part.folds < 2, f"folds must be at least 2; got {part.folds}"),
        (
            not all(0 < share < 1 for share in part.missing),
            f"missing must be shares; got {list(part.missing)}",
        ),
        (part.kind != "prediction" and bool(part.missing), f"a {part.kind} has no missing degrees"),
        (not TAGS.fullmatch(part.tags), f"unknown tags {part.tags!r}"),
        (
            part.kind != "grid" and bool(grids),
            f"{', '.join(grids)}: only oracles have a grid here",
        ),
        (
            part.kind not in ("grid", "recovery") and any(m.grid for m in part.methods),
            f"a {part.kind} has no grid",
        ),
    ):
        if wrong:
            raise SpecError(f"{where}: {message}.")


def restrict(experiment: Experiment, datasets: Sequence[str]) -> Experiment:
    """Return the experiment on other data sets."""
    parts = tuple(replace(part, datasets=()) for part in experiment.parts)
    chosen = replace(experiment, datasets=tuple(datasets), parts=parts)
    _check(chosen, "--dataset")
    return chosen
