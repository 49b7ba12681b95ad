"""Errors of the reproduction."""

from labeldist.exceptions import LabelDistError


class SpecError(LabelDistError, ValueError):
    """An experiment's specification is invalid."""


class StoreError(LabelDistError, OSError):
    """A store of records cannot be read or written."""


class ExperimentError(LabelDistError, RuntimeError):
    """The runs of an experiment cannot be completed."""
