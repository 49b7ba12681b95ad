"""The commands, and what they have in common: how errors are told and with which exit code."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from labeldist import __version__
from labeldist.cli.datasets import datasets
from labeldist.cli.enhance import enhance
from labeldist.cli.evaluate import evaluate
from labeldist.cli.explore import explore
from labeldist.cli.fit import fit
from labeldist.cli.predict import predict
from labeldist.cli.votes import votes
from labeldist.exceptions import LabelDistError

INTERRUPTED = 130
"""The exit code of what ^C ended, as shells have it."""

TERMINATED = 143
"""The exit code of what was told to end, as when the computer is shut down or a batch system's time is up."""


class _TerminatedError(KeyboardInterrupt):
    """Ends what ^C ends, in the same order."""


@contextmanager
def _termination() -> Iterator[None]:
    """Let a request to end unwind what is under way, as ^C does, instead of cutting it off.

    Only the main thread gets such requests, and may say what becomes of them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: Any) -> None:
        raise _TerminatedError

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


class _Commands(typer.core.TyperGroup):
    """Errors of the library become one line on standard error; anything else is a bug and shows where."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with _termination():
                return super().invoke(ctx)
        except LabelDistError as error:
            print(f"labeldist: {error}", file=sys.stderr)
            raise typer.Exit(1) from None
        except _TerminatedError:
            print("labeldist: terminated", file=sys.stderr)
            raise typer.Exit(TERMINATED) from None
        except KeyboardInterrupt:
            print("labeldist: interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=_Commands,
    help="Label distributions: recover them, learn to predict them, judge them honestly.",
    no_args_is_help=True,
    epilog="Exit codes: 0 all is well, 1 something is wrong with the data or a file, 2 with the call, "
    "130 interrupted, 143 terminated.",
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"labeldist {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[  # its callback does it
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Label distributions: recover them, learn to predict them, judge them honestly."""


for command in (votes, enhance, fit, predict, evaluate, explore):
    app.command()(command)
app.add_typer(datasets, name="datasets")
