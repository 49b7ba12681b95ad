"""Model cards: a description of a model that is stored in its file."""

from __future__ import annotations

import json
import platform
import reprlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator

import labeldist
from labeldist.exceptions import ModelError
from labeldist.models._inspection import attribute_of, feature_names_of, first_attribute, first_layers, label_names_of

FORMAT = 1
"""Version of the file format. It increases when older versions of labeldist cannot read new files."""

LONGEST = 1000
"""Parameters with a longer JSON text are shortened."""

SHORT = reprlib.Repr()
SHORT.maxother = 100


@dataclass(frozen=True)
class ModelCard:
    """Description of a saved model.

    Attributes
    ----------
    format : int
        Version of the file format.
    versions : dict of str to str
        Versions of labeldist, scikit-learn, numpy and python with which the model was saved.
    estimator : str
        Class of the model, with its module.
    parameters : dict
        Parameters as returned by ``get_params``. Values that JSON cannot hold are replaced by a short text.
    label_names : tuple of str
        Names of the labels, in the order of the predicted columns.
    feature_names : tuple of str or None
        Names of the features in the expected order, or None if the model was fitted without names.
    n_features : int or None
        Number of input columns, or None if the first step does not count them, such as a vectorizer of texts.
    training_rows : int or None
        Number of training rows, if known.
    summary : str or None
        Free text about the training.
    measures : dict of str to float
        Scores of the model.

    See Also
    --------
    read_card : Read the card of a model file.
    """

    format: int
    versions: dict[str, str]
    estimator: str
    parameters: dict[str, Any]
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...] | None
    n_features: int | None
    training_rows: int | None
    summary: str | None
    measures: dict[str, float]

    def to_json(self) -> str:
        """Return the card as a JSON object."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> ModelCard:
        """Read a card from a JSON object."""
        content = json.loads(text)
        if content["format"] > FORMAT:
            raise ModelError(
                f"Its format is {content['format']}, and labeldist {labeldist.__version__} reads formats up to "
                f"{FORMAT}. Install a newer version: pip install -U labeldist"
            )
        content["versions"] = dict(content["versions"])
        for key in ("label_names", "feature_names"):
            content[key] = None if content[key] is None else tuple(content[key])
        return cls(**content)


def make_card(
    model: Any,
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
) -> ModelCard:
    """Return the card of a fitted model."""
    label_names, feature_names = label_names_of(model), feature_names_of(model)
    distributions = attribute_of(model, "label_distributions_")
    for name, value in (measures or {}).items():
        if not isinstance(value, Real):
            raise ModelError(f"measures must map names to numbers; the value of {name!r} is {value!r}.")
    return ModelCard(
        format=FORMAT,
        versions=current_versions(),
        estimator=f"{type(model).__module__}.{type(model).__qualname__}",
        parameters={name: _as_json(value) for name, value in model.get_params().items()},
        label_names=tuple(label_names),
        feature_names=None if feature_names is None else tuple(feature_names),
        n_features=first_attribute(first_layers(model), "n_features_in_"),
        training_rows=len(distributions) if training_rows is None and distributions is not None else training_rows,
        summary=summary,
        measures={name: float(value) for name, value in (measures or {}).items()},
    )


def current_versions() -> dict[str, str]:
    """Return the installed versions of the libraries that influence predictions."""
    return {
        "labeldist": labeldist.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _as_json(value: Any) -> Any:
    """Return a parameter if JSON can hold it, else a short text."""
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    try:
        if len(json.dumps(value)) <= LONGEST:
            return value
    except (TypeError, ValueError):
        pass
    return SHORT.repr(value)
