"""Pictures as files."""

from __future__ import annotations

import io
import os
from pathlib import Path

from labeldist._extras import require
from labeldist._files import write_whole
from labeldist.exceptions import OutputError
from labeldist.plots._canvas import EXTRA, Display

# What else would differ from one run to the next: dates, which the formats name differently, and the ids of SVG.
METADATA: dict[str, dict[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
FIXED_IDS = {"svg.hashsalt": "labeldist"}
DOTS_PER_INCH = 150


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work is done, a path whose ending names no format of pictures."""
    suffix = Path(path).suffix.lower()
    if suffix not in METADATA:
        raise OutputError(f"{path} does not end in the name of a format for pictures: {', '.join(METADATA)}.")


def save_picture(display: Display, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
    """Write a picture to a file, whole or not at all; the same picture gives the same bytes every time.

    Parameters
    ----------
    display : a display of `labeldist.plots`
    path : path-like
        Its ending is the format: ``.png``, ``.svg`` or ``.pdf``.
    overwrite : bool, default=True
        Replace an existing file. If false, an existing file is an error.

    Raises
    ------
    OutputError
        The ending is none of these, or the file cannot be written.
    """
    check_picture_path(path)
    suffix = Path(path).suffix.lower()
    content = io.BytesIO()
    figure = display.figure_.get_figure(root=True)
    with require("matplotlib", EXTRA).rc_context(FIXED_IDS):
        figure.savefig(
            content,
            format=suffix.removeprefix("."),
            dpi=DOTS_PER_INCH,
            bbox_inches="tight",
            metadata=METADATA[suffix],
        )
    write_whole(path, content.getvalue(), overwrite=overwrite)
