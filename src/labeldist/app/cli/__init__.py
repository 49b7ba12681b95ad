"""The command ``labeldist``, one module per subcommand."""

import signal
import sys
from typing import Any

from labeldist.exceptions import MissingExtraError
from labeldist.utils import require

INTERRUPTED = 130  # Exit code after SIGINT, as in shells.


def main() -> None:
    """Run the command, or explain how to install its dependencies."""
    try:
        _run()
    except KeyboardInterrupt:  # before the command began, such as during imports
        print("labeldist: interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None


def _run() -> None:
    try:
        from labeldist.app.cli.app import TerminatedError, app
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("labeldist"):
            raise
        try:
            require(error.name or "", "app")
        except MissingExtraError as missing:
            print(f"labeldist: {missing}", file=sys.stderr)
        raise SystemExit(1) from None

    def terminate(*_: Any) -> None:
        raise TerminatedError

    signal.signal(signal.SIGTERM, terminate)  # so that temporary files are removed
    app(prog_name="labeldist")
