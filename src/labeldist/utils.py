"""Helpers for programs that build on the library: output files, extras and names in messages."""

from labeldist._extras import require
from labeldist._files import check_free, whole_file
from labeldist._text import did_you_mean, listed, name_of

__all__ = ["check_free", "did_you_mean", "listed", "name_of", "require", "whole_file"]
