"""The explorer: one HTML page to look through items and versions of their label distributions."""

from labeldist.app.explorer.page import write_explorer

__all__ = ["write_explorer"]
