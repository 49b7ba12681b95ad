"""What a fitted model calls its features and its labels, however it is wrapped."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from labeldist.exceptions import ModelError
from labeldist.models._wrapping import answering_part, entrances


def label_names_of(model: Any) -> list[str]:
    """Return the names of the labels, in the order of the columns that a fitted model answers with.

    Parameters
    ----------
    model : fitted learner, enhancer, or a pipeline or search that ends in one

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> label_names_of(make_pipeline(StandardScaler(), BDLDL()).fit(*make_artificial(50, random_state=0)))
    ['label_0', 'label_1', 'label_2']
    """
    check_is_fitted(model)
    part = answering_part(model)
    if not hasattr(part, "label_names_"):
        raise ModelError(
            f"{type(part).__name__} has no label names: it is not a model of label distributions. A learner or an "
            "enhancer of labeldist is, alone or as the last step of a pipeline."
        )
    return list(part.label_names_)


def feature_names_of(model: Any) -> list[str] | None:
    """Return the names of the columns that a fitted model expects, in order, or None if it was fitted without names.

    Examples
    --------
    >>> from labeldist import BDLDL
    >>> from labeldist.datasets import make_artificial
    >>> feature_names_of(BDLDL().fit(*make_artificial(50, random_state=0))) is None
    True
    """
    check_is_fitted(model)
    names = next((part.feature_names_in_ for part in entrances(model) if hasattr(part, "feature_names_in_")), None)
    return None if names is None else [str(name) for name in names]
