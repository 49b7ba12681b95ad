"""What can go wrong with an experiment."""

from labeldist.exceptions import LabelDistError


class SpecError(LabelDistError, ValueError):
    """An experiment's spec asks for something that there is not."""


class StoreError(LabelDistError, OSError):
    """A store of records cannot be read or written."""


class ExperimentError(LabelDistError, RuntimeError):
    """Experiments cannot be run, or not to their end."""
