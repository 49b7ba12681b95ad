"""Writing to standard output."""

import os
import sys

from labeldist.exceptions import OutputError


def write_to_standard_output(content: bytes) -> None:
    """Write `content` to standard output.

    A reader that closes the pipe early, such as ``head``, raises no error.
    """
    if sys.stdout is None:
        raise OutputError("Standard output is closed.")
    try:
        sys.stdout.flush()
        # Bytes do not depend on the encoding and the line ends of the terminal.
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        # Python would write the rest of its buffer at exit, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"Standard output cannot be written: {error.strerror or error}."
            ) from error
