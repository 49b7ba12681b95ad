"""Model files: skops archives with a model card."""

from __future__ import annotations

import io
import json
import os
import platform
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError

import labeldist
from labeldist._extras import require
from labeldist._files import check_free, write_whole
from labeldist._pipelines import attribute_of
from labeldist.exceptions import Hint, ModelError, ModelVersionWarning, warn
from labeldist.models._fitted_models import feature_names_of, label_names_of

CARD = "card.json"
FORMAT = 1  # increases when older versions of labeldist cannot read new files
LARGEST = 2 * 2**30  # bytes of an unpacked model, so that a small file cannot fill the memory

# Trusted class-name prefixes. skops itself trusts plain data and scikit-learn's estimators.
TRUSTED = (
    "builtins.object",
    "labeldist._solvers.",
    "labeldist.app.tables.",
    "labeldist.enhancement.",
    "labeldist.features.",
    "labeldist.learning.",
    "labeldist.published.",
    "lightgbm.sklearn.",
    "numpy.dtype",
    "sklearn.compose._column_transformer.",
    "sklearn.model_selection._split.",
    "xgboost.sklearn.",
)

# Types whose text goes to a parser in C++, which can corrupt memory. Loading needs `trusted`.
BOOSTERS = (
    "labeldist.learning._boosting_libraries.LightGBMTrees",
    "labeldist.learning._boosting_libraries.XGBoostTrees",
)
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")  # A terminal would obey these characters.


@dataclass(frozen=True)
class ModelCard:
    """Description of a saved model.

    Parameters
    ----------
    format, versions : int, dict of str to str
        Versions of the file format, and of labeldist, scikit-learn, numpy and python.
    estimator, parameters : str, dict
        Class of the model with its module, and its ``get_params``, with short texts for values that
        JSON cannot hold.
    label_names, feature_names : tuple of str
        Names of the labels and features in order. `feature_names` is None if the model was fitted
        without names.
    n_features, training_rows : int or None
        Number of features, and of training rows if it is known.
    summary, measures : str or None, dict of str to float
        Text about the training, and scores by name.
    training_mean : dict of str to float or None
        Mean degree of each label in the training rows, if it is known.

    See Also
    --------
    read_card : Read the card of a model file.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.models import read_card, save
    >>> path = getfixture("tmp_path") / "model.skops"
    >>> save(BDLDL().fit([[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]]), path, summary="Two rows.")
    >>> read_card(path).summary
    'Two rows.'
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
    training_mean: dict[str, float] | None = None


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    summary: str | None = None,
    measures: Mapping[str, float] | None = None,
    training_rows: int | None = None,
    training_mean: Mapping[str, float] | None = None,
    trusted: Iterable[str] = (),
    overwrite: bool = False,
) -> None:
    """Write a fitted model and its card to a file.

    The file is a skops archive, which contains data and names of types, but no code. A `ModelError`
    is raised if the model contains an unknown type, or more than 2 GiB.

    Parameters
    ----------
    model : fitted learner or enhancer, or pipeline that ends in one
        The model.
    path : str or path
        File to write, such as ``model.skops``.
    summary, measures, training_rows : str, mapping of str to float, int, default=None
        Entries of the card: text about the training, scores, and number of rows, which some models
        know themselves.
    training_mean : mapping of str to float, default=None
        Entry of the card: mean degree of each label in the training rows.
    trusted : iterable of str, default=()
        Names of further types that the model may contain. `load` needs the same names.
    overwrite : bool, default=False
        Whether to replace an existing file.

    See Also
    --------
    load : Read the model.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.models import save
    >>> model = BDLDL().fit([[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]])
    >>> save(model, getfixture("tmp_path") / "model.skops", measures={"score": 0.5})
    """
    check_free(path, overwrite=overwrite)
    card = make_card(model, summary=summary, measures=measures, training_rows=training_rows)
    if training_mean is not None:
        card = replace(card, training_mean=dict(training_mean))
    content = require("skops.io", "app").dumps(model, compression=ZIP_DEFLATED, compresslevel=1)
    _check_types(content, [*trusted, *BOOSTERS], type(model).__name__)
    archive = io.BytesIO(content)
    with ZipFile(archive, "a", ZIP_DEFLATED) as members:
        members.writestr(CARD, json.dumps(asdict(card), indent=2, ensure_ascii=False))
        _check_size(members)
    write_whole(path, archive.getvalue(), overwrite=overwrite)


def load(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """Read a model from a file that `save` has written.

    Nothing is unpickled. A `ModelError` is raised if the file is damaged or has types other than
    plain data, estimators of labeldist and scikit-learn, and `trusted` ones. A
    `ModelVersionWarning` is issued if the versions of labeldist or scikit-learn differ.

    Trees of LightGBM and XGBoost must be `trusted`, since the parsers of these libraries can
    corrupt memory if a file was made to do harm.

    Parameters
    ----------
    path : str or path
        File that `save` has written.
    trusted : iterable of str, default=()
        Names of further types to build, such as ``"my_package.MyTransformer"``. Name only types
        that you know. The error of a type that is not trusted states its name. ``"boosters"``
        stands for the trees of LightGBM and XGBoost.

    Returns
    -------
    estimator
        The fitted model.

    See Also
    --------
    save : Write a model file.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.models import load, save
    >>> path = getfixture("tmp_path") / "model.skops"
    >>> save(BDLDL().fit([[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]]), path)
    >>> load(path)
    BDLDL()
    """
    skops = require("skops.io", "app")
    trusted = [*trusted]
    if "boosters" in trusted:
        trusted += BOOSTERS
    content, card = _read(path)
    try:
        types = _check_types(content, trusted, path)
        with warnings.catch_warnings():
            # It is issued once per step; one warning for all follows.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            model = skops.loads(content, trusted=types)
        label_names = tuple(label_names_of(model))
    except ModelError:
        raise
    except NotFittedError:
        raise ModelError(f"{path} has a model that is not fitted.") from None
    except Exception as error:  # a damaged archive raises many types
        reason = str(error).partition("\n")[0]  # without the stack of a library in C++
        found = f"{type(error).__name__}: {reason}"
        raise ModelError(f"{path} is damaged, or needs a newer skops: {found}") from error
    if label_names != card.label_names:
        raise ModelError(
            f"{path} is damaged: the labels of its model differ from the labels of its card."
        )
    saved = f"labeldist {card.versions['labeldist']}, scikit-learn {card.versions['scikit-learn']}"
    saved = CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", saved)
    if saved != f"labeldist {labeldist.__version__}, scikit-learn {sklearn.__version__}":
        warn(f"{path} was saved with {saved}. Predictions may differ.", ModelVersionWarning)
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

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.models import read_card, save
    >>> path = getfixture("tmp_path") / "model.skops"
    >>> save(BDLDL().fit([[0.0], [1.0]], [[0.2, 0.8], [0.6, 0.4]]), path)
    >>> read_card(path).label_names
    ('label_0', 'label_1')
    """
    return _read(path)[1]


def make_card(
    model: Any,
    *,
    summary: str | None,
    measures: Mapping[str, float] | None,
    training_rows: int | None,
) -> ModelCard:
    """Return the card of a fitted model."""
    feature_names = feature_names_of(model)
    distributions = attribute_of(model, "label_distributions_")
    if training_rows is None and distributions is not None:
        training_rows = len(distributions)
    return ModelCard(
        format=FORMAT,
        versions=_versions(),
        estimator=f"{type(model).__module__}.{type(model).__qualname__}",
        parameters=json.loads(json.dumps(model.get_params(), default=_as_json, skipkeys=True)),
        label_names=tuple(label_names_of(model)),
        feature_names=None if feature_names is None else tuple(feature_names),
        n_features=attribute_of(model, "n_features_in_", step=0),
        training_rows=training_rows,
        summary=summary,
        measures={name: float(value) for name, value in (measures or {}).items()},
    )


def _as_json(value: Any) -> Any:
    """Return a list, a number or a short text for a parameter that JSON cannot hold."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, BaseEstimator):
        return type(value).__name__
    return repr(value)[:100]


def _card_from_json(text: bytes) -> ModelCard:
    content = json.loads(text)
    if content["format"] > FORMAT:
        raise ModelError("Its format is too new. Update labeldist.")
    if not _versions().keys() <= dict(content["versions"]).keys():
        raise ModelError("Its card lacks versions.")
    content["label_names"] = tuple(content["label_names"])
    if content["feature_names"] is not None:
        content["feature_names"] = tuple(content["feature_names"])
    return ModelCard(**content)


def _versions() -> dict[str, str]:
    return {
        "labeldist": labeldist.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _read(path: str | os.PathLike[str]) -> tuple[bytes, ModelCard]:
    """Return the bytes of a model file and its card."""
    try:
        content = Path(path).read_bytes()
        with ZipFile(io.BytesIO(content)) as members:
            _check_size(members)
            return content, _card_from_json(members.read(CARD))
    except Exception as error:  # zipfile and json raise many types
        raise ModelError(f"{path} cannot be read as a model file of labeldist: {error}") from error


def _check_size(members: ZipFile) -> None:
    size = sum(member.file_size for member in members.infolist())
    if size > LARGEST:
        raise ModelError(f"The model has {size:,} bytes when unpacked; the limit is {LARGEST:,}.")


def _check_types(content: bytes, trusted: Iterable[str], name: Any) -> list[str]:
    """Return the types in an archive that only we trust; raise an error for unknown types."""
    types: list[str] = require("skops.io", "app").get_untrusted_types(data=content)
    unknown = [kind for kind in sorted({*types} - {*trusted}) if not _is_trusted(kind)]
    if unknown and {*unknown} <= {*BOOSTERS}:
        effect = "Their parsers can corrupt memory if the file was made to do harm"
        raise ModelError(f"{name} contains {unknown}. {effect}.", hint=Hint.TRUST)
    if unknown:
        raise ModelError(
            f"{name} contains types that are not trusted. If you know them, pass trusted={unknown}"
            " to save and load. A search can be replaced by its best_estimator_."
        )
    return types


def _is_trusted(name: str) -> bool:
    """Return whether a name belongs to a trusted class, not to a function or an imported class."""
    if name in BOOSTERS or not name.startswith(TRUSTED):
        return False
    module, _, attribute = name.rpartition(".")
    kind = getattr(import_module(module), attribute)
    return isinstance(kind, type) and kind.__module__ == module
