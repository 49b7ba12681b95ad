"""Helpers of the library that the commands use."""

from labeldist._extras import how_to_install, require
from labeldist._files import check_free, write_to_standard_output, write_whole
from labeldist._text import cell_at, counted, did_you_mean, listed
from labeldist._typing import VOTES_COLUMN, Array, Watch

__all__ = [
    "VOTES_COLUMN",
    "Array",
    "Watch",
    "cell_at",
    "check_free",
    "counted",
    "did_you_mean",
    "how_to_install",
    "listed",
    "require",
    "write_to_standard_output",
    "write_whole",
]
