"""Predictions of a saved model for the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.cli.reporter import Reporter
from labeldist.app.tables.column_kinds import is_missing
from labeldist.app.tables.column_selection import numeric_columns
from labeldist.app.tables.read_and_write import with_columns
from labeldist.app.text import counted
from labeldist.app.types import Array
from labeldist.exceptions import ModelError
from labeldist.utils import did_you_mean, listed

if TYPE_CHECKING:
    import pandas as pd

    from labeldist.models import ModelCard


@dataclass(frozen=True)
class SavedModel:
    """A fitted model and its card, from a file."""

    model: Any
    card: ModelCard

    @classmethod
    def read(cls, path: str, reporter: Reporter, *, trust_boosters: bool) -> SavedModel:
        """Read a model file."""
        from labeldist.models import load, read_card

        with reporter.working("Loading the model"):
            model = load(path, trusted=["boosters"] if trust_boosters else ())
            return cls(model, read_card(path))

    @property
    def labels(self) -> list[str]:
        """Names of the labels."""
        return list(self.card.label_names)

    @cached_property
    def preparation(self) -> Any:
        """The transformer of columns that the model begins with, or None."""
        from sklearn.compose import ColumnTransformer

        part = self.model
        while part is not None and not isinstance(part, ColumnTransformer):
            part = _first_part(part)
        return part

    def with_predictions(
        self, frame: pd.DataFrame, reporter: Reporter
    ) -> tuple[Array, pd.DataFrame]:
        """Predict the rows of a table, and return the degrees, and the table with them."""
        present = [name for name in self.labels if name in frame.columns]
        replaced = [name for name in present if not is_missing(frame[name]).all()]
        if replaced:
            reporter.note(f"Columns {listed(replaced)} are overwritten by predictions.")
        X = self._features(frame, reporter)
        with reporter.working(f"Predicting {len(frame)} items"):
            D = self._predict(X)
        return D, with_columns(frame, dict(zip(self.labels, D.T, strict=True)))

    def _features(self, frame: pd.DataFrame, reporter: Reporter) -> pd.DataFrame:
        """Return the features of the model; they are found by their names."""
        names = self._feature_columns(frame, reporter)
        if self.preparation is None:
            return numeric_columns(frame, names, "Correct it.")
        _note_new_cells(self.preparation, frame, reporter)
        return frame[names]

    def _feature_columns(self, frame: pd.DataFrame, reporter: Reporter) -> list[str]:
        """Return the columns with the features of the model."""
        if self.card.feature_names is None:
            names = [name for name in frame.columns if name not in self.labels]
            n_features = self.card.n_features
            if len(names) != n_features:
                sizes = f"{n_features} features; the table has {len(names)} other columns"
                advice = "Give it the feature columns in their order"
                raise ModelError(f"The model has {sizes}. {advice}.")
            reporter.note("the model has no feature names: columns are used in their order.")
            return names
        names = list(self.card.feature_names)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            similar = did_you_mean(missing, frame.columns.difference(names))
            problem = f"The table lacks feature columns of the model: {listed(missing)}"
            raise ModelError(f"{problem}.{similar}")
        return names

    def _predict(self, X: Any) -> Array:
        """Predict rows with a learner, or an enhancer that has a rule for new rows."""
        predict = getattr(self.model, "predict", None) or getattr(self.model, "transform", None)
        if predict is None:
            name = type(self.model).__name__
            raise ModelError(f"{name} cannot predict new rows. Use a learner, BDLE or GLLE.")
        try:
            D = np.asarray(predict(X))
        except AttributeError as error:  # such as a file without coef_
            raise ModelError(f"The model is incomplete: {error}.") from error
        if D.shape[1:] != (len(self.labels),):
            found = f"{D.shape[1:]} outputs for {len(self.labels)} labels"
            raise ModelError(f"The model is damaged: it has {found}.")
        return D


def _first_part(model: Any) -> Any:
    """Return the part of a model that receives the features: of a pipeline, a blend, a search."""
    if hasattr(model, "steps"):
        return model.steps[0][1]
    if hasattr(model, "weights_") and hasattr(model, "estimators_"):
        return model.estimators_[0][1]  # all of them receive the same features
    return getattr(model, "best_estimator_", getattr(model, "learner_", None))


def _note_new_cells(preparation: Any, frame: pd.DataFrame, reporter: Reporter) -> None:
    """Print notes about cells of a kind that the preparation of features has not seen."""
    from labeldist.app.tables.preparation import (
        new_gaps,
        texts_without_known_words,
        unseen_categories,
    )

    for name, words in unseen_categories(preparation, frame).items():
        unseen = f"unseen categories: {listed(dict.fromkeys(words), 3)}"
        cells = f"{counted(len(words), 'cell')} with {unseen}"
        effect = "These rows are predicted without this column"
        reporter.note(f"column {name!r} has {cells}. {effect}.")
    for name, count in new_gaps(preparation, frame).items():
        gaps = f"{counted(count, 'empty cell')}, but had none in training"
        meaning = "They are filled with typical values, or count as texts without words."
        reporter.note(f"column {name!r} has {gaps}. {meaning}")
    for name, count in texts_without_known_words(preparation, frame).items():
        texts = counted(count, "text")
        reporter.note(f"column {name!r} has {texts} without words of the training rows.")
