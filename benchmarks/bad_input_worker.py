"""Give one method of one library every bad input, and report what it did with each.

Run by ``benchmarks.bad_inputs`` in the environment of the library that is asked; imports nothing of the other's.
"""

import argparse
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.bad_input_cases import CASES, Case, Question, good_question
from benchmarks.worker import ENHANCERS, LEARNERS

OUR_ENHANCERS = ("BDLE", "BayesLE", "FCM", "GLLE", "KM", "LP", "ML", "LogicalSoftmax", "Uniform")


@dataclass(frozen=True)
class Reaction:
    """What a method did with a bad input.

    Attributes
    ----------
    case : str
    offered : bool
        Whether the method has a way to answer such a question at all.
    error : str or None
    told : list of str
        Warnings, and what was logged.
    answer : list or None
        The distributions, or None if what came back is no table of numbers.
    asked : int
        Number of rows that were asked about.
    changed : bool
        Whether the caller's own arrays were changed.
    """

    case: str
    offered: bool = True
    error: str | None = None
    told: list[str] = field(default_factory=list)
    answer: list[Any] | None = None
    asked: int = 0
    changed: bool = False


class Told(logging.Handler):
    """Collects what a library logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())


def our_method(method: str) -> Any:
    """Return an estimator of this library with its defaults, and a seed where it takes one."""
    room = import_module("labeldist.enhancement" if method in OUR_ENHANCERS else "labeldist.learning")
    model = getattr(room, method)()
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def peer_method(method: str) -> Any:
    """Return a method of PyLDL with its defaults; seeds are global there."""
    import keras
    import pyldl.algorithms

    keras.utils.set_random_seed(0)
    return getattr(pyldl.algorithms, {**LEARNERS, **ENHANCERS}[method])()


def enhances(model: Any) -> bool:
    """Whether a method recovers distributions, rather than learning to predict them."""
    return hasattr(model, "fit_transform")


def takes_logical_labels(model: Any) -> bool:
    """Whether a method learns from logical labels."""
    return enhances(model) or hasattr(model, "enhancer")


def answer(model: Any, question: Question, new_rows: bool) -> Any:
    """Ask a method as its user would."""
    if question.learn_first:
        model.fit(question.X, question.y)
    if not enhances(model):
        return model.predict(question.X_new)
    if new_rows:
        return model.transform(question.X_new)
    return model.label_distributions_ if hasattr(model, "label_distributions_") else model.transform()


def react(make: Callable[[], Any], case: Case) -> Reaction:
    """Give a new model the bad input of a case, and note everything that comes of it."""
    model = make()
    if case.new_rows and enhances(model) and not hasattr(model, "transform"):
        return Reaction(case.name, offered=False)
    question = case.spoil(good_question(takes_logical_labels(model)))
    before = deepcopy(question)
    log = Told()
    logging.getLogger().addHandler(log)
    error, table = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = _table(answer(model, question, case.new_rows))
        except Exception as raised:  # whatever it is, it is the outcome
            error = f"{type(raised).__name__}: {raised}"
        finally:
            logging.getLogger().removeHandler(log)
    return Reaction(
        case.name,
        error=error,
        told=[str(warning.message) for warning in caught] + log.messages,
        answer=table,
        asked=_length(question.X if enhances(model) and not case.new_rows else question.X_new),
        changed=not all(_same(getattr(question, part), getattr(before, part)) for part in ("X", "y", "X_new")),
    )


def reactions(make: Callable[[], Any]) -> Iterator[Reaction]:
    """Yield what a method does with each bad input."""
    return (react(make, case) for case in CASES)


def _table(answer: Any) -> list[Any] | None:
    try:
        return np.asarray(answer, dtype=np.float64).tolist()
    except (TypeError, ValueError):
        return None


def _length(rows: Any) -> int:
    return rows.shape[0] if hasattr(rows, "shape") else len(rows)


def _same(table: Any, other: Any) -> bool:
    if isinstance(table, list):
        return bool(table == other)
    if hasattr(table, "toarray"):
        table, other = table.toarray(), other.toarray()
    table, other = np.asarray(table), np.asarray(other)
    return np.array_equal(table, other, equal_nan=table.dtype.kind == "f")


def main() -> None:
    """Print a line of JSON a case, each when it is known: a method that crashes loses the later ones only."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=["ours", "peer"])
    parser.add_argument("method")
    arguments = parser.parse_args()
    method = {"ours": our_method, "peer": peer_method}[arguments.library]
    for reaction in reactions(lambda: method(arguments.method)):
        print(json.dumps(asdict(reaction)), flush=True)


if __name__ == "__main__":
    main()
