"""The command ``labeldist``: thin, one module a command."""

import sys


def main() -> None:
    """Run the command, or say how to get what it needs."""
    try:
        from labeldist.cli.app import app
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("labeldist"):
            raise
        print(
            f"The command labeldist needs {error.name}, which is not installed. Get all that it needs with\n\n"
            "    pip install 'labeldist[app]'",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    app(prog_name="labeldist")  # however it was started
