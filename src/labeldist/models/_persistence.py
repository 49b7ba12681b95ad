"""Model files: skops archives with a model card."""

from __future__ import annotations

import io
import json
import os
import platform
import reprlib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

import labeldist
from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist.exceptions import ModelError, ModelVersionWarning, warn
from labeldist.models._inspection import attribute_of, feature_names_of, first_attribute, first_layers, label_names_of

CARD = "card.json"
FORMAT = 1
"""Version of the file format. It increases when older versions of labeldist cannot read new files."""

LARGEST = 2 * 2**30
"""Maximum size of an unpacked model in bytes, so that a small file cannot fill the memory."""

TRUSTED = {
    "builtins.object",
    "numpy.dtype",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.compose._column_transformer.make_column_selector",
}
"""Types that imputers and column transformers hold. skops itself trusts plain data and scikit-learn's estimators."""

TRUSTED_MODULES = (
    "labeldist._solvers.",
    "labeldist._tables.",
    "labeldist.enhancement.",
    "labeldist.features",
    "labeldist.learning.",
    "sklearn.model_selection._split",
)
"""Modules whose classes are trusted: estimators, what they hold when fitted, and splitters."""


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
        Text about the training.
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


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
    trusted: Iterable[str] = (),
    force: bool = False,
) -> None:
    """Write a fitted model and its card to a file.

    The file is a skops archive. It contains data and names of types, but no code.

    Parameters
    ----------
    model : fitted estimator
        A learner or an enhancer, alone or as the last step of a pipeline.
    path : str or path
        File to write, such as ``model.skops``.
    summary : str, default=None
        Text about the training, for the card.
    measures : mapping of str to float, default=None
        Scores, for the card.
    training_rows : int, default=None
        Number of training rows, for the card. Models that keep a distribution of each row know it themselves.
    trusted : iterable of str, default=()
        Names of further types that the model may contain. `load` needs the same names.
    force : bool, default=False
        Whether to replace an existing file.

    Raises
    ------
    ModelError
        If the model contains a type that is not trusted, something that skops cannot write, or more than 2 GiB.

    See Also
    --------
    load : Read the model.
    to_onnx : Export a model for other runtimes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> from labeldist.models import load, read_card, save
    >>> X, D = make_artificial(100, random_state=0)
    >>> model = BDLDL().fit(X, D)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.skops"
    ...     save(model, path, summary="Three labels.", measures={"score": model.score(X, D)})
    ...     loaded, card = load(path), read_card(path)
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    >>> card.summary, card.label_names
    ('Three labels.', ('label_0', 'label_1', 'label_2'))
    """
    check_free(path, force=force)
    card = make_card(model, summary=summary, measures=measures, training_rows=training_rows)
    skops, name = require("skops.io", "app"), type(model).__name__
    try:
        content = skops.dumps(model, compression=ZIP_DEFLATED, compresslevel=1)
    except Exception as error:  # skops raises many types
        raise ModelError(f"{name} contains something that skops cannot write: {error}") from error
    _check_types(content, trusted, name)
    archive = io.BytesIO(content)
    with ZipFile(archive, "a", ZIP_DEFLATED) as members:
        members.writestr(CARD, card.to_json())
        _check_size(members)
    write_whole(path, archive.getvalue(), overwrite=force)


def load(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """Read a model from a file that `save` has written.

    No code of the file is executed and nothing is unpickled. The file may contain plain data, arrays, estimators of
    labeldist and scikit-learn, and types that are named in `trusted`. A `ModelVersionWarning` is issued if the model
    was saved with another version of labeldist or scikit-learn.

    Parameters
    ----------
    path : str or path
        File to read.
    trusted : iterable of str, default=()
        Names of further types to build, such as ``"my_package.MyTransformer"``. Name only types that you know.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ModelError
        If the file is damaged, has a newer format, contains a type that is not trusted, or has more than 2 GiB.

    See Also
    --------
    save : Write a model file, with an example.
    """
    skops = require("skops.io", "app")
    content, card = _read(path)
    try:
        types = _check_types(content, trusted, path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)  # one per step; one warning follows below
            model = skops.loads(content, trusted=types)
    except ModelError:
        raise
    except Exception as error:  # a damaged archive raises many types
        raise ModelError(f"{path} is damaged, or needs a newer version of skops: {error!r}.") from error
    installed = _versions()
    saved = {name: card.versions.get(name) for name in ("labeldist", "scikit-learn")}
    changed = [
        f"{name} {saved[name]} (installed: {installed[name]})" for name in saved if saved[name] != installed[name]
    ]
    if changed:
        warn(
            f"{path} was saved with {' and '.join(changed)}. Predictions may differ; if that matters, fit it again.",
            ModelVersionWarning,
        )
    return model


def read_card(path: str | os.PathLike[str]) -> ModelCard:
    """Read the card of a model file without building the model.

    Parameters
    ----------
    path : str or path
        File that `save` has written.

    Returns
    -------
    ModelCard
        Versions, parameters, names of labels and features, scores.

    See Also
    --------
    save : Write a model file, with an example.
    """
    return _read(path)[1]


def make_card(
    model: Any, *, summary: str | None, measures: Mapping[str, float] | None, training_rows: int | None
) -> ModelCard:
    """Return the card of a fitted model."""
    label_names, feature_names = label_names_of(model), feature_names_of(model)
    distributions = attribute_of(model, "label_distributions_")
    if training_rows is None and distributions is not None:
        training_rows = len(distributions)
    return ModelCard(
        format=FORMAT,
        versions=_versions(),
        estimator=f"{type(model).__module__}.{type(model).__qualname__}",
        parameters={name: _as_json(value) for name, value in model.get_params().items()},
        label_names=tuple(label_names),
        feature_names=None if feature_names is None else tuple(feature_names),
        n_features=first_attribute(first_layers(model), "n_features_in_"),
        training_rows=training_rows,
        summary=summary,
        measures={name: float(value) for name, value in (measures or {}).items()},
    )


def _versions() -> dict[str, str]:
    return {
        "labeldist": labeldist.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _as_json(value: Any) -> Any:
    """Return a parameter if JSON can hold it in 1,000 characters, else a short text."""
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    try:
        if len(json.dumps(value)) <= 1000:
            return value
    except (TypeError, ValueError):
        pass
    short = reprlib.Repr()
    short.maxother = 100
    return short.repr(value)


def _read(path: str | os.PathLike[str]) -> tuple[bytes, ModelCard]:
    """Return the bytes of a model file and its card."""
    try:
        content = Path(path).read_bytes()
        with ZipFile(io.BytesIO(content)) as members:
            _check_size(members)
            return content, ModelCard.from_json(members.read(CARD))
    except (ModelError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"{path} cannot be read: {reason}") from error
    except Exception as error:  # zipfile and json raise many types
        raise ModelError(f"{path} is not a model file of labeldist, or is damaged: {error!r}.") from error


def _check_size(members: ZipFile) -> None:
    size = sum(member.file_size for member in members.infolist())
    if size > LARGEST:
        raise ModelError(f"The model has {size:,} bytes when unpacked; the limit is {LARGEST:,}.")


def _check_types(content: bytes, trusted: Iterable[str], name: Any) -> list[str]:
    """Return the types in a skops archive that skops does not trust but we do, or raise an error."""
    types: list[str] = require("skops.io", "app").get_untrusted_types(data=content)
    unknown = [kind for kind in sorted({*types} - {*trusted}) if not _is_trusted(kind)]
    if unknown:
        raise ModelError(
            f"{name} contains types that are not trusted: {', '.join(unknown)}. If you know them, pass "
            f"trusted={unknown} to save and load. Otherwise do not load the file. A search can be replaced by its "
            "best_estimator_, a function in many cases by the name of an option."
        )
    return types


def _is_trusted(name: str) -> bool:
    """Return whether a name is that of a trusted class, and not of a function or of something that is imported."""
    module, _, attribute = name.rpartition(".")
    if name in TRUSTED or not module.startswith(TRUSTED_MODULES):
        return name in TRUSTED
    kind = getattr(import_module(module), attribute)
    return isinstance(kind, type) and kind.__module__ == module
