"""What a model is wrapped in: pipelines, searches and an enhancer before it, seen from its answers or its features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def layers(model: Any) -> Iterator[Any]:
    """Yield a model and what answers in it: a pipeline's last step, a search's best, what was learned in the end."""
    return _inwards(model, -1)


def entrances(model: Any) -> Iterator[Any]:
    """Yield a model and what its features come to first: as `layers`, but through the first steps of pipelines."""
    return _inwards(model, 0)


def working_steps(pipeline: Any) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline that do anything."""
    return [(name, step) for name, step in pipeline.steps if step is not None and step != "passthrough"]


def inner(model: Any) -> Any:
    """Return what answers for a search or an `EnhancedLearner`, once they have done their work; else None."""
    return getattr(model, "best_estimator_", getattr(model, "learner_", None))


def attribute_of(model: Any, name: str) -> Any:
    """Return an attribute of the outermost layer that has it, or None."""
    return next((getattr(layer, name) for layer in layers(model) if hasattr(layer, name)), None)


def answering_part(model: Any) -> Any:
    """Return the part that knows its labels, or if none does the innermost."""
    parts = list(layers(model))
    return next((part for part in parts if hasattr(part, "label_names_")), parts[-1])


def receiving_part(model: Any) -> Any:
    """Return the innermost part that a model's features come to first."""
    *_, part = entrances(model)
    return part


def _inwards(model: Any, end: int) -> Iterator[Any]:
    while model is not None:
        yield model
        model = working_steps(model)[end][1] if hasattr(model, "steps") else inner(model)
