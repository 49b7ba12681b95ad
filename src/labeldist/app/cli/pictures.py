"""Pictures of the commands."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.cli.reporter import Reporter
from labeldist.exceptions import ModelError, TableError

if TYPE_CHECKING:
    import pandas as pd

MAX_IMPORTANCE_ROWS = 1_000  # Held-out rows that are predicted for each feature.


def check_picture(path: str | None, show: str = "", n_labels: int = 0) -> None:
    """Raise an error, before any work is done, if a picture cannot be drawn."""
    if path is None:
        return
    from labeldist.plots._display import check_picture_path

    check_picture_path(path)
    if show == "ternary" and n_labels != 3:
        raise TableError(f"--show ternary needs three labels; the table has {n_labels}.")


def save_drawn(display: Any, path: str | None, *, force: bool) -> None:
    """Write a picture, if there is one."""
    if path:
        from matplotlib import pyplot

        from labeldist.plots import save_picture

        save_picture(display, path, overwrite=force)
        pyplot.close(display.figure_)


def draw_distributions(show: str, D: Any, labels: list[str], items: list[str]) -> Any:
    """Draw recovered or predicted distributions."""
    from labeldist import plots

    if show == "ternary":
        return plots.TernaryDisplay.from_distributions(D, label_names=labels)
    display: Any = plots.AmbiguityDisplay if show == "ambiguous" else plots.DistributionDisplay
    return display.from_distributions(D, label_names=labels, item_names=items)


def draw_predictions(show: str, D: Any, P: Any, labels: list[str], items: list[str]) -> Any:
    """Draw predicted distributions `P` against true ones."""
    from labeldist import plots

    if show == "calibration":
        return plots.CalibrationDisplay.from_predictions(D, P)
    if show == "ternary":
        return plots.TernaryDisplay.from_predictions(D, P, label_names=labels)
    return plots.PredictionDisplay.from_predictions(
        D,
        P,
        kind=show,  # type: ignore[arg-type]
        label_names=labels,
        item_names=items,
    )


def draw_model(show: str, model: Any, X: Any) -> Any:
    """Draw coefficients of a fitted model, or the scores of its search over hyper-parameters."""
    from labeldist import plots

    try:
        if show == "coefficients":
            return plots.CoefficientDisplay.from_estimator(model, X)
        return plots.ParameterInfluenceDisplay.from_estimator(model)
    except (TypeError, ValueError, AttributeError) as error:
        problem = f"The picture {show!r} needs another --method, such as bdldlcv"
        raise ModelError(f"{problem}: {error}") from None


def draw_importance(
    model: Any, X: pd.DataFrame, D: pd.DataFrame, weight: Any, seed: int, reporter: Reporter
) -> Any:
    """Draw the importance of the features on rows that a copy of the model is not fitted to."""
    from sklearn.base import clone
    from sklearn.model_selection import train_test_split

    from labeldist._validation import weights_for
    from labeldist.learning._cross_validation import Table
    from labeldist.plots import FeatureImportanceDisplay

    rows = np.arange(len(D)) if weight is None else np.flatnonzero(weight)
    n_test = min(MAX_IMPORTANCE_ROWS, max(1, len(rows) // 4))
    train, test = train_test_split(rows, test_size=n_test, random_state=seed)
    table = Table(X, D, weight)
    training = table.rows(train)
    held_out = table.rows(test)
    with reporter.working("Shuffling features") as watch:
        warnings.simplefilter("ignore")  # the fit on all rows has issued them
        weights = weights_for(model, training.weight)
        fitted = clone(model).fit(training.X, training.D, **weights)
        return FeatureImportanceDisplay.from_estimator(
            fitted,
            held_out.X,
            held_out.D,
            rows_name="held-out rows",
            random_state=seed,
            callback=watch,
            sample_weight=held_out.weight,
        )
