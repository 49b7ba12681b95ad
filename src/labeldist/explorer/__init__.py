"""The explorer: one HTML page to look through items and versions of their label distributions."""

from labeldist.explorer._page import write_explorer

__all__ = ["write_explorer"]
