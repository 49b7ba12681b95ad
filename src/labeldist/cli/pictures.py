"""The pictures that commands draw, by the names that they have on the command line.

They are drawn before anything is written, and saved last: one that cannot be drawn leaves nothing behind.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from labeldist._files import check_free
from labeldist.exceptions import ModelError, TableError

SHOW_HELP = "What --picture shows."


class OfDistributions(StrEnum):
    """Pictures of a table of distributions."""

    AMBIGUOUS = "ambiguous"
    BARS = "bars"
    TERNARY = "ternary"


class OfPredictions(StrEnum):
    """Pictures of predictions beside the truth."""

    CALIBRATION = "calibration"
    SCATTER = "scatter"
    BARS = "bars"
    TERNARY = "ternary"


class OfModels(StrEnum):
    """Pictures of a fitted model."""

    CALIBRATION = "calibration"
    COEFFICIENTS = "coefficients"
    INFLUENCE = "influence"


def check_picture(path: str | None, *, labels: int | None = None, kind: StrEnum | None = None, force: bool) -> None:
    """Refuse, before any work is done, a picture that could not be drawn or written."""
    if path is None:
        return
    from labeldist.plots._display import check_picture_path

    check_picture_path(path)
    check_free(path, force=force)
    if labels is not None and kind == "ternary" and labels != 3:
        raise TableError(f"A ternary picture has three labels, and here are {labels}. Choose another with --show.")


def save_drawn(display: Any, path: str | None, *, force: bool) -> None:
    """Write a picture, if there is one, and let it go."""
    if path:
        from matplotlib import pyplot

        from labeldist.plots import save_picture

        save_picture(display, path, overwrite=force)
        pyplot.close(display.figure_)


def draw_distributions(kind: OfDistributions, D: Any, labels: list[str], items: Any) -> Any:
    """Draw recovered or predicted distributions."""
    from labeldist.plots import AmbiguityDisplay, DistributionDisplay, TernaryDisplay

    names = {"label_names": labels, "item_names": items}
    match kind:
        case OfDistributions.AMBIGUOUS:
            return AmbiguityDisplay.from_distributions(D, **names)
        case OfDistributions.BARS:
            return DistributionDisplay.from_distributions(D, **names)
        case OfDistributions.TERNARY:
            return TernaryDisplay.from_distributions(D, label_names=labels)


def draw_predictions(kind: OfPredictions, D: Any, P: Any, labels: list[str], items: Any) -> Any:
    """Draw predictions beside the truth."""
    from labeldist.plots import CalibrationDisplay, PredictionDisplay, TernaryDisplay

    match kind:
        case OfPredictions.CALIBRATION:
            return CalibrationDisplay.from_predictions(D, P)
        case OfPredictions.TERNARY:
            return TernaryDisplay.from_predictions(D, P, label_names=labels)
        case OfPredictions.SCATTER:
            return PredictionDisplay.from_predictions(D, P, label_names=labels, item_names=items)
        case OfPredictions.BARS:
            return PredictionDisplay.from_predictions(D, P, kind="bars", label_names=labels, item_names=items)


def draw_model(kind: OfModels, model: Any, X: Any) -> Any:
    """Draw what is inside a fitted model."""
    from labeldist.plots import CoefficientDisplay, ParameterInfluenceDisplay

    try:
        if kind == OfModels.COEFFICIENTS:
            return CoefficientDisplay.from_estimator(model, X)
        return ParameterInfluenceDisplay.from_estimator(model)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"There is no picture of {kind.value} of this model: {error} Choose a --method that has them, as bdldlcv."
        ) from None
