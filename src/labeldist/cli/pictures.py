"""Pictures of the commands. They are drawn before any file is written, so that an error leaves no files."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from labeldist.exceptions import ModelError, TableError

_SHOW = typer.Option(help="Kind of --picture.")
OfDistributions = Annotated[Literal["ambiguous", "bars", "ternary"], _SHOW]
OfPredictions = Annotated[Literal["calibration", "scatter", "bars", "ternary"], _SHOW]
OfModels = Annotated[Literal["calibration", "coefficients", "influence"], _SHOW]


def check_picture(path: str | None, show: str = "", n_labels: int = 0) -> None:
    """Raise an error, before any work is done, if a picture cannot be drawn."""
    if path is None:
        return
    from labeldist.plots._display import check_picture_path

    check_picture_path(path)
    if show == "ternary" and n_labels != 3:
        raise TableError(f"A ternary picture needs three labels; the table has {n_labels}. Choose another --show.")


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
    kind: Any = show
    return plots.PredictionDisplay.from_predictions(D, P, kind=kind, label_names=labels, item_names=items)


def draw_model(show: str, model: Any, X: Any) -> Any:
    """Draw coefficients of a fitted model, or the influence of its hyper-parameters."""
    from labeldist import plots

    try:
        if show == "coefficients":
            return plots.CoefficientDisplay.from_estimator(model, X)
        return plots.ParameterInfluenceDisplay.from_estimator(model)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"The picture {show!r} cannot be drawn for this model: {error} Choose another --method, such as bdldlcv."
        ) from None
