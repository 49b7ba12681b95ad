"""The explorer: one page to look through items and the versions of their label distributions."""

from labeldist.explorer._page import write_explorer

__all__ = ["write_explorer"]
