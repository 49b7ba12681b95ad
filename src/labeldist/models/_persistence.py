"""Model files: skops archives with a model card."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist.exceptions import ModelError, ModelVersionWarning, warn
from labeldist.models._card import ModelCard, current_versions, make_card

CARD = "card.json"
"""Name of the archive member that holds the card."""

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
"""Modules whose estimators, dataclasses and splitters are trusted."""


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
        Number of training rows, for the card. Enhancers and AAKNN know it themselves.
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
    >>> from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
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
    >>> (loaded.predict(X) == model.predict(X)).all()
    np.True_
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
    write_whole(path, archive.getvalue())


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
        Names of further types to build, such as ``"my_package.MyTransformer"``. Their modules are imported, so trust
        only types that you know.

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
    save : Write a model file.
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
    installed = current_versions()
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
    load : Read the model.
    """
    return _read(path)[1]


def _read(path: str | os.PathLike[str]) -> tuple[bytes, ModelCard]:
    """Return the bytes of a model file and its card."""
    try:
        content = Path(path).read_bytes()
        with ZipFile(io.BytesIO(content)) as members:
            _check_size(members)
            return content, ModelCard.from_json(members.read(CARD))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ModelError as error:
        raise ModelError(f"{path} cannot be read. {error}") from error
    except Exception as error:  # zipfile raises many types
        raise ModelError(
            f"{path} is not a model file of labeldist.models.save or labeldist fit, or is damaged: {error!r}."
        ) from error


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
    """Return whether a name is that of a trusted class, and not of a function or class that a module imports."""
    module, _, attribute = name.rpartition(".")
    if name in TRUSTED or not module.startswith(TRUSTED_MODULES):
        return name in TRUSTED
    kind = getattr(import_module(module), attribute)
    if not isinstance(kind, type) or kind.__module__ != module:
        return False
    return issubclass(kind, BaseEstimator) or is_dataclass(kind) or hasattr(kind, "split")
