"""The pictures that commands draw, by the names that they have on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from labeldist.exceptions import ModelError, TableError
from labeldist.files import check_free

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
    from labeldist.plots.saving import check_picture_path

    check_picture_path(path)
    check_free(path, force=force)
    if labels is not None and kind == "ternary" and labels != 3:
        raise TableError(f"A ternary picture has three labels, and here are {labels}. Choose another with --show.")


def draw_distributions(kind: OfDistributions, D: Any, labels: list[str], items: Any, path: str) -> None:
    """Draw recovered or predicted distributions."""
    from labeldist.plots import AmbiguityDisplay, DistributionDisplay, TernaryDisplay, save_picture

    names = {"label_names": labels, "item_names": items}
    match kind:
        case OfDistributions.AMBIGUOUS:
            display: Any = AmbiguityDisplay.from_distributions(D, **names)
        case OfDistributions.BARS:
            display = DistributionDisplay.from_distributions(D, **names)
        case OfDistributions.TERNARY:
            display = TernaryDisplay.from_distributions(D, label_names=labels)
    save_picture(display, path)


def draw_predictions(kind: OfPredictions, D: Any, P: Any, labels: list[str], items: Any, path: str) -> None:
    """Draw predictions beside the truth."""
    from labeldist.plots import CalibrationDisplay, PredictionDisplay, TernaryDisplay, save_picture

    match kind:
        case OfPredictions.CALIBRATION:
            display: Any = CalibrationDisplay.from_predictions(D, P)
        case OfPredictions.TERNARY:
            display = TernaryDisplay.from_predictions(D, P, label_names=labels)
        case OfPredictions.SCATTER:
            display = PredictionDisplay.from_predictions(D, P, label_names=labels, item_names=items)
        case OfPredictions.BARS:
            display = PredictionDisplay.from_predictions(D, P, kind="bars", label_names=labels, item_names=items)
    save_picture(display, path)


def draw_model(kind: OfModels, model: Any, X: Any, path: str) -> None:
    """Draw what is inside a fitted model."""
    from labeldist.plots import CoefficientDisplay, ParameterInfluenceDisplay, save_picture

    try:
        if kind == OfModels.COEFFICIENTS:
            display: Any = CoefficientDisplay.from_estimator(model, X)
        else:
            display = ParameterInfluenceDisplay.from_estimator(model)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(
            f"There is no picture of {kind.value} of this model: {error} Choose a --method that has them, as bdldlcv."
        ) from None
    save_picture(display, path)
