"""Specifications of experiments: TOML files that name data sets, methods, protocols and seeds."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from sklearn.model_selection import ParameterGrid

from labeldist.datasets import list_datasets
from reproduction.errors import SpecError
from reproduction.methods import is_enhancer, published_parameters

FOLDER = Path(__file__).parent / "specs"

PAPER = ("le-recovery", "ldl-prediction", "le-then-ldl", "ablation", "parameters")
"""The experiments of the paper, which run if no experiment is named."""


@dataclass(frozen=True)
class Method:
    """A method of an experiment.

    In a spec, a name alone is that method with its published parameters.

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
        Seeds of this method if they differ from the experiment. In a recovery they are its
        `random_state`.
    attributes : tuple of str
        Fitted attributes that are recorded together with the measures of a recovery.
    """

    name: str
    use: str
    role: str = "paper"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    seeds: Sequence[int] = ()
    attributes: Sequence[str] = ()


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
    method : list of Method
    learner : list of Method
        The learners of a chain.
    variant : str
        Distinguishes parts of the same kind.
    transductive : bool
        Whether the enhancers of a chain see the features and logical labels of the held-out rows as
        well.
    folds : int
    tags : str
        How logical labels are made; see `reproduction.data.make_tags`.
    datasets : list of str
        Data sets if they differ from the experiment.
    missing : list of float
        Shares of the training degrees that a prediction hides from its methods as NaN, one variant
        for each.
    """

    kind: str
    method: Sequence[Method]
    learner: Sequence[Method] = ()
    variant: str = ""
    transductive: bool = False
    folds: int = 10
    tags: str = "threshold 0.5"
    datasets: Sequence[str] = ()
    missing: Sequence[float] = (0.0,)


@dataclass(frozen=True)
class Experiment:
    """A parsed specification."""

    name: str
    title: str
    datasets: Sequence[str]
    part: Sequence[Part]
    seeds: Sequence[int] = (0,)
    time_limit: float = 1800.0


@dataclass(frozen=True)
class Run:
    """One unit of work: a method on one fold of a data set; a recovery has one fold, number 0."""

    experiment: str
    kind: str
    variant: str
    dataset: str
    method: Method
    learner: Method | None
    transductive: bool
    folds: int
    tags: str
    seed: int
    fold: int
    missing: float
    time_limit: float

    @property
    def key(self) -> str:
        """The identity of a run: everything that determines its values and its place in tables."""
        content = asdict(self)
        del content["time_limit"]
        return json.dumps(content, sort_keys=True)

    @property
    def work(self) -> str:
        """Everything that determines the values; several experiments may share it."""
        content = json.loads(self.key)
        for name in ("experiment", "variant"):
            del content[name]
        is_oracle = self.method.role == "oracle"
        for method in filter(None, (content["method"], content["learner"])):
            for name in ("name", "role", "seeds"):
                del method[name]
        return json.dumps([content, is_oracle])

    @property
    def title(self) -> str:
        """A description for the display of progress."""
        return f"{self.experiment}: {self.method.name} on {self.dataset}, fold {self.fold + 1}"

    @property
    def is_recovery(self) -> bool:
        """Whether all rows are enhanced."""
        return recovers(self.kind, self.method)


def recovers(kind: str, method: Method) -> bool:
    """Return whether a method of a part of that kind enhances all rows."""
    return kind == "recovery" or (kind == "grid" and is_enhancer(method.use))


def expand_grid(method: Method) -> list[Method]:
    """Return one method for every point of the grid; the method itself if it has no grid."""
    points = ParameterGrid(dict(method.grid))
    return [replace(method, parameters={**method.parameters, **point}, grid={}) for point in points]


def runs_of(experiment: Experiment) -> Iterator[Run]:
    """Yield the runs of an experiment."""
    for part in experiment.part:
        datasets = part.datasets or experiment.datasets
        learners: Sequence[Method | None] = part.learner or [None]
        for learner, dataset, method in product(learners, datasets, part.method):
            is_recovery = recovers(part.kind, method)
            for point in expand_grid(method) if part.kind == "grid" else [method]:
                folds = range(1 if is_recovery else part.folds)
                seeds = _seeds(experiment, part, point)
                for missing, seed, fold in product(part.missing, seeds, folds):
                    yield Run(
                        experiment.name,
                        part.kind,
                        _variant(part, method, learner, missing),
                        dataset,
                        _with_seed(point, seed) if is_recovery else point,
                        learner,
                        part.transductive,
                        len(folds),
                        part.tags,
                        seed,
                        fold,
                        missing,
                        experiment.time_limit,
                    )


def _variant(part: Part, method: Method, learner: Method | None, missing: float) -> str:
    if missing:
        return f"{100 * missing:g} % missing"
    if learner:
        return f"{learner.name}, transductive" if part.transductive else learner.name
    return part.variant or (method.name if part.kind == "grid" else "")


def _with_seed(method: Method, seed: int) -> Method:
    """Let several seeds of a method that is fitted to all rows be its random states."""
    seeded = {**method.parameters, "random_state": seed}
    return replace(method, parameters=seeded) if method.seeds else method


def _seeds(experiment: Experiment, part: Part, method: Method) -> Sequence[int]:
    seeds = method.seeds or experiment.seeds
    once = recovers(part.kind, method) and not method.seeds and not part.tags.startswith("flip")
    return seeds[:1] if once else seeds


def shipped() -> list[str]:
    """Return the names of the experiments in ``reproduction/specs``."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_spec(name: str) -> Experiment:
    """Read a shipped experiment by its name, or another by the path of its TOML file."""
    path = FOLDER / f"{name}.toml" if name in shipped() else Path(name)
    try:
        return parse_spec(path.read_text("utf-8"), name)
    except OSError:
        known = ", ".join(shipped())
        raise SpecError(f"{name} is not a readable file, and not one of {known}.") from None


def parse_spec(text: str, where: str = "The spec") -> Experiment:
    """Parse the TOML text of an experiment; errors call it `where`."""
    try:
        content = tomllib.loads(text)
        if content.get("datasets") == "all":
            content["datasets"] = list_datasets()
        for part in content["part"]:
            for group in ("method", "learner"):
                part[group] = [_method(entry) for entry in part.get(group, [])]
        parts = [Part(**part) for part in content.pop("part")]
        return Experiment(**content, part=parts)
    except (ValueError, TypeError, KeyError) as error:
        raise SpecError(f"{where}: {error}") from None


def _method(entry: str | dict[str, Any]) -> Method:
    if isinstance(entry, str):
        use, parameters = published_parameters(entry)
        return Method(entry, use, parameters=parameters)
    return Method(**entry)


def restrict(experiment: Experiment, datasets: Sequence[str]) -> Experiment:
    """Return the experiment on other data sets."""
    parts = [replace(part, datasets=()) for part in experiment.part]
    return replace(experiment, datasets=datasets, part=parts)
