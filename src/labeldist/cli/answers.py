"""What a kept model answers for the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labeldist._tables.columns import numbers, typed
from labeldist._tables.tables import listed
from labeldist._typing import Array
from labeldist.cli.telling import Teller
from labeldist.exceptions import ModelError

if TYPE_CHECKING:
    import pandas as pd


def predict_by(model: Any, frame: pd.DataFrame, teller: Teller) -> Array:
    """Return the distributions that a model has for the items of a table, in the order of its labels."""
    from labeldist.models import predict_distributions

    X = _features(model, frame, teller)
    with teller.working(f"Predicting {len(frame)} items"):
        return predict_distributions(model, X)


def _features(model: Any, frame: pd.DataFrame, teller: Teller) -> pd.DataFrame:
    """Return the columns that a model was fitted on, in its order."""
    from labeldist.models import feature_names_of, label_names_of

    names = feature_names_of(model)
    if names is None:
        labels = label_names_of(model)
        names = [name for name in frame.columns if name not in labels]
        if len(names) != model.n_features_in_:
            raise ModelError(
                f"The model takes {model.n_features_in_} features and does not know their names; the table has "
                f"{len(names)} columns beside the labels. Give it those columns alone, in the order of its training."
            )
        teller.note("the model does not know the names of its features: the columns are taken in their order.")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ModelError(f"The table lacks columns of which the model makes its prediction: {listed(missing)}.")
    return typed(frame, names) if _prepares(model) else numbers(frame, names, "Mend it.")


def _prepares(model: Any) -> bool:
    """Whether a model begins by turning the cells of a table into numbers."""
    from sklearn.compose import ColumnTransformer

    from labeldist.models._inspection import receiving_part

    return isinstance(receiving_part(model), ColumnTransformer)
