"""The parts of pipelines, searches and nested learners."""

from collections.abc import Iterator
from typing import Any


def layers(model: Any, step: int = -1) -> Iterator[Any]:
    """Yield a model and what predicts inside it, or with ``step=0`` what receives the features."""
    while model is not None:
        yield model
        if hasattr(model, "steps"):
            model = active_steps(model)[step]
        elif step == 0 and is_blend(model):
            _, model = model.estimators_[0]  # all of them receive the same features
        else:
            model = fitted_part(model)


def attribute_of(model: Any, name: str, step: int = -1) -> Any:
    """Return an attribute of the outermost of the `layers` that has it, or None."""
    for part in layers(model, step):
        if hasattr(part, name):
            return getattr(part, name)
    return None


def active_steps(pipeline: Any) -> list[Any]:
    """Return the steps of a pipeline without those that pass their input through."""
    return [step for _, step in pipeline.steps if step is not None and step != "passthrough"]


def is_blend(model: Any) -> bool:
    """Return whether a model is a fitted `BlendedLearner`."""
    return hasattr(model, "weights_") and hasattr(model, "estimators_")


def fitted_part(model: Any) -> Any:
    """Return the fitted estimator inside a search or a nested learner, or None."""
    return getattr(model, "best_estimator_", getattr(model, "learner_", None))
