"""Errors of the reproduction."""

from labeldist.exceptions import LabelDistError


class SpecError(LabelDistError, ValueError):
    """An experiment's specification is invalid."""
