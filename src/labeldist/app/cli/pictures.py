"""Pictures of the commands."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labeldist.app.cli.reporter import Reporter
from labeldist.app.types import Array
from labeldist.exceptions import ModelError, OutputError, TableError

if TYPE_CHECKING:
    import pandas as pd

FORMATS = (".png", ".svg", ".pdf")
MAX_IMPORTANCE_ROWS = 1_000  # Held-out rows that are predicted for each feature.


def check_picture(path: str | None, show: str = "", n_labels: int = 0) -> None:
    """Raise an error, before any work is done, if a picture cannot be drawn."""
    if path is None:
        return
    if Path(path).suffix.lower() not in FORMATS:
        raise OutputError(f"The name of the picture {path} must end in {', '.join(FORMATS)}.")
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

    from labeldist.plots import FeatureImportanceDisplay

    rows = np.arange(len(D)) if weight is None else np.flatnonzero(weight)
    n_test = min(MAX_IMPORTANCE_ROWS, max(1, len(rows) // 4))
    train, test = train_test_split(rows, test_size=n_test, random_state=seed)
    weights = {} if weight is None else _fit_weights(model, weight[train])
    with reporter.working("Shuffling features") as watch:
        warnings.simplefilter("ignore")  # the fit on all rows has issued them
        fitted = clone(model).fit(X.iloc[train], D.iloc[train], **weights)
        return FeatureImportanceDisplay.from_estimator(
            fitted,
            X.iloc[test],
            D.iloc[test],
            rows_name="held-out rows",
            random_state=seed,
            callback=watch,
            sample_weight=None if weight is None else weight[test],
        )


def _fit_weights(model: Any, weight: Array) -> dict[str, Array]:
    """Return weights as parameters of `fit`, for the model or the steps of a pipeline."""
    from sklearn.utils.validation import has_fit_parameter

    if has_fit_parameter(model, "sample_weight"):
        return {"sample_weight": weight}
    steps = getattr(model, "steps", ())
    taking = [name for name, step in steps if has_fit_parameter(step, "sample_weight")]
    return {f"{name}__sample_weight": weight for name in taking}
