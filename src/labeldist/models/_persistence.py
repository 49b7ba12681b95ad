"""Save a model to one file, load it without executing anything, read its card without even building it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any
from zipfile import ZIP_DEFLATED

from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist.exceptions import ModelError, ModelVersionWarning, warn
from labeldist.models._archive import CARD, check_arrays, open_archive, unpack, unpack_text, with_card
from labeldist.models._card import ModelCard, card_of, versions
from labeldist.models._soundness import check_sound
from labeldist.models._trust import trusted_types, untrusted_types

COMPARED = ("labeldist", "scikit-learn")
"""A model saved with another version of these may answer differently."""


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
    force: bool = False,
) -> None:
    """Write a fitted model and its card to one file.

    The file is a skops archive: data, and no code. It appears whole or not at all.

    Parameters
    ----------
    model : fitted estimator
        A learner or an enhancer, alone or as the last step of a pipeline.
    path : str or path
        Such as ``model.skops``.
    summary : str, default=None
        What is to be remembered of the training, for the card.
    measures : mapping of str to float, default=None
        What was measured, for the card.
    training_rows : int, default=None
        For the card; models that keep a distribution of each row tell it themselves.
    force : bool, default=False
        Whether a file that is there may be replaced.

    Raises
    ------
    ModelError
        If the model holds what cannot be kept: a function, a type that `load` would not trust, more than 2 GiB.

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
    ...     again, card = load(path), read_card(path)
    >>> (again.predict(X) == model.predict(X)).all()
    np.True_
    >>> card.summary, card.label_names
    ('Three labels.', ('label_0', 'label_1', 'label_2'))
    """
    check_free(path, force=force)
    card = card_of(model, summary=summary, measures=measures, training_rows=training_rows)
    skops = require("skops.io", "app")
    try:
        archive = skops.dumps(model, compression=ZIP_DEFLATED, compresslevel=1)
    except Exception as error:
        raise ModelError(f"{type(model).__name__} holds something that cannot be kept in a file: {error}") from error
    refused = untrusted_types(archive)
    if refused:
        raise ModelError(
            f"{type(model).__name__} holds what `load` would not trust: {', '.join(refused)}.{_cause(model)}"
        )
    check_sound(model)
    write_whole(path, with_card(archive, card.to_json()), overwrite=force)


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model in a file that `save` has written.

    Nothing in the file is executed. Types are looked at before anything is built: numbers, texts and arrays, the
    estimators of labeldist with what they hold, transformers and splitters of scikit-learn
    (`labeldist.models._trust.TRANSFORMERS`) are loaded, and nothing else. A `ModelVersionWarning` tells if another
    version of labeldist or scikit-learn has saved the model.

    Raises
    ------
    ModelError
        If the file is no model, is damaged, is of a newer format, holds a type that is not trusted or one that was
        given what could do harm, or unpacks to more than 2 GiB.
    """
    skops = require("skops.io", "app")
    with open_archive(path) as packed:
        card = _card_in(packed, path)
        archive = _unpacked(packed, path)
    try:
        refused = untrusted_types(archive)
        if not refused:
            check_arrays(archive)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InconsistentVersionWarning)  # one for each part; ours says it once
                model = skops.loads(archive, trusted=sorted(trusted_types()))
    except Exception as error:  # a damaged archive can fail in any way
        raise ModelError(
            f"No model can be built from {path}, which is damaged or newer than skops here: {error}"
        ) from error
    if refused:
        raise ModelError(
            f"{path} holds what a model of labeldist does not: {', '.join(refused)}. Nothing of it was loaded, since "
            "such a type could execute code."
        )
    if not isinstance(model, BaseEstimator):
        raise ModelError(f"{path} holds no model, but a {type(model).__name__}.")
    try:
        check_sound(model)
    except Exception as error:  # what a part should have may be missing, or be anything
        raise ModelError(f"{path} holds what could do harm: {error}") from error
    _compare_versions(path, card)
    return model


def read_card(path: str | os.PathLike[str]) -> ModelCard:
    """Return what a file says of the model in it, without building the model."""
    with open_archive(path) as archive:
        return _card_in(archive, path)


def _card_in(archive: Any, path: Any) -> ModelCard:
    content = unpack_text(archive, CARD)
    try:
        return ModelCard.from_json(content)
    except ModelError as error:
        raise ModelError(f"{path} cannot be read: {error}.") from error


def _unpacked(archive: Any, path: Any) -> bytes:
    try:
        return unpack(archive)
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"No model can be built from {path}, which is damaged: {error}") from error


def _compare_versions(path: Any, card: ModelCard) -> None:
    here = versions()
    others = [f"{name} {card.versions.get(name)} (here {here[name]})" for name in COMPARED]
    differing = [text for name, text in zip(COMPARED, others, strict=True) if card.versions.get(name) != here[name]]
    if differing:
        warn(
            f"{path} was saved with {' and '.join(differing)}. Its answers may differ; if that matters, fit it anew.",
            ModelVersionWarning,
        )


def _cause(model: Any) -> str:
    """Name the parameters that hold a function, the usual reason, and a part that may be kept without them."""
    functions = [name for name, value in model.get_params().items() if callable(value) and not isinstance(value, type)]
    text = ""
    if functions:
        text = (
            f" A file must not bring code with it, and {', '.join(functions)} is a function: choose by name where that "
            "is possible, or take a function of NumPy (a ufunc)."
        )
    return text + " Its best_estimator_ may be saved." * hasattr(model, "best_estimator_")
