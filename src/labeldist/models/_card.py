"""What a file says of the model in it: read without building the model."""

from __future__ import annotations

import json
import platform
import reprlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator

import labeldist
from labeldist.exceptions import ModelError
from labeldist.models._names import feature_names_of, label_names_of
from labeldist.models._wrapping import answering_part, entrances

FORMAT = 1
"""The number of this format; it grows when older versions of this library could not read what is written."""

LONGEST_PARAMETER = 1000
"""A list among the parameters that takes more characters than this is told in short."""

IN_SHORT = reprlib.Repr()
IN_SHORT.maxother = 100


@dataclass(frozen=True)
class ModelCard:
    """What is known of a saved model.

    Attributes
    ----------
    format : int
        The number of the file's format.
    versions : dict of str to str
        Those of labeldist, scikit-learn, numpy and python that the model was saved with.
    estimator : str
        The model's class, with its module.
    parameters : dict
        Its parameters and those of its parts, as ``get_params`` names them. What JSON cannot hold is told in words.
    label_names : tuple of str
        In the order of the columns that the model answers with.
    feature_names : tuple of str or None
        In the order in which the model expects them; None if it was fitted without names.
    n_features : int
    training_rows : int or None
        None if not known.
    summary : str or None
        What was said of the training.
    measures : dict of str to float
        What was measured.
    """

    format: int
    versions: dict[str, str]
    estimator: str
    parameters: dict[str, Any]
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...] | None
    n_features: int
    training_rows: int | None
    summary: str | None
    measures: dict[str, float]

    def to_json(self) -> str:
        """Return the card as a JSON object."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> ModelCard:
        """Read a card, or say why it is none."""
        try:
            content = json.loads(text)
            number = content["format"]
            newer = number > FORMAT
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ModelError("its card is damaged") from error
        if newer:
            raise ModelError(
                f"its format is {number}, and this version of labeldist ({labeldist.__version__}) reads formats up to "
                f"{FORMAT}. Install a newer one: pip install -U labeldist"
            )
        if set(content) != {field.name for field in fields(cls)} or not _is_sound(content):
            raise ModelError("its card is damaged")
        names = content["feature_names"]
        content["label_names"] = tuple(content["label_names"])
        content["feature_names"] = None if names is None else tuple(names)
        return cls(**content)


def card_of(
    model: Any,
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
) -> ModelCard:
    """Write the card of a fitted model."""
    label_names, feature_names = label_names_of(model), feature_names_of(model)
    for name, value in (measures or {}).items():
        if not isinstance(value, Real):
            raise ModelError(f"measures must be numbers by name; that of {name!r} is {value!r}.")
    return ModelCard(
        format=FORMAT,
        versions=versions(),
        estimator=f"{type(model).__module__}.{type(model).__qualname__}",
        parameters={name: _told(value) for name, value in model.get_params().items()},
        label_names=tuple(label_names),
        feature_names=None if feature_names is None else tuple(feature_names),
        n_features=next(int(part.n_features_in_) for part in entrances(model) if hasattr(part, "n_features_in_")),
        training_rows=_training_rows(model) if training_rows is None else int(training_rows),
        summary=summary,
        measures={name: float(value) for name, value in (measures or {}).items()},
    )


def versions() -> dict[str, str]:
    """Return the versions of what a model's numbers depend on."""
    return {
        "labeldist": labeldist.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _training_rows(model: Any) -> int | None:
    """Count the rows of a model that keeps something of each."""
    distributions = getattr(answering_part(model), "label_distributions_", None)
    return None if distributions is None else len(distributions)


def _told(value: Any) -> Any:
    """Return a parameter as JSON can hold it."""
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    try:
        if len(json.dumps(value)) <= LONGEST_PARAMETER:
            return value
    except (TypeError, ValueError):
        pass
    return IN_SHORT.repr(value)


def _is_sound(content: dict[str, Any]) -> bool:
    """Whether everything is of the kind that a reader may rely on."""

    def are(kind: type | tuple[type, ...], values: Any) -> bool:
        return all(isinstance(value, kind) for value in values)

    def may_be(kind: type, value: Any) -> bool:
        return value is None or isinstance(value, kind)

    return (
        are(int, (content["format"], content["n_features"]))
        and are(dict, (content["versions"], content["parameters"], content["measures"]))
        and isinstance(content["label_names"], list)
        and may_be(list, content["feature_names"])
        and are(str, [*content["label_names"], *(content["feature_names"] or []), content["estimator"]])
        and are(str, content["versions"].values())
        and are((int, float), content["measures"].values())
        and may_be(int, content["training_rows"])
        and may_be(str, content["summary"])
    )
