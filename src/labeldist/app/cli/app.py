"""The application: all subcommands, error messages and exit codes."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from labeldist import __version__
from labeldist.app.cli import INTERRUPTED, options
from labeldist.app.cli.annotators import annotators
from labeldist.app.cli.compare import compare
from labeldist.app.cli.datasets import datasets
from labeldist.app.cli.enhance import enhance
from labeldist.app.cli.estimate import estimate
from labeldist.app.cli.evaluate import evaluate
from labeldist.app.cli.explore import explore
from labeldist.app.cli.fit import fit
from labeldist.app.cli.plan import plan
from labeldist.app.cli.predict import predict
from labeldist.app.cli.reporter import message, text_of
from labeldist.app.cli.votes import votes
from labeldist.exceptions import LabelDistError

TERMINATED = 143  # Exit code after SIGTERM.

HELP = "Recover label distributions from tags or votes, predict them, and evaluate predictions."
EPILOG = (
    "Exit codes: 0 success, 1 invalid data or files, 2 invalid options, 130 interrupted, "
    "143 terminated."
)


class TerminatedError(KeyboardInterrupt):
    """SIGTERM was received."""


class _Commands(options.Group):
    """Group that prints errors of the library on one line.

    `Reporter.working` converts a ValueError or MemoryError to such an error. All other errors are
    bugs and have a traceback.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except LabelDistError as error:
            problem = text_of(error)
            code = 1
        except TerminatedError:
            problem = "terminated"
            code = TERMINATED
        except KeyboardInterrupt:
            problem = "interrupted"
            code = INTERRUPTED
        print(f"labeldist: {message(problem)}", file=sys.stderr)
        raise typer.Exit(code)


app = typer.Typer(
    cls=_Commands,
    help=HELP,
    no_args_is_help=True,
    epilog=EPILOG,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"labeldist {__version__}")
        raise typer.Exit


@app.callback(help=HELP)
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Define the options of ``labeldist`` itself."""


COMMANDS = (
    *(votes, estimate, plan, annotators, enhance),
    *(fit, predict, evaluate, compare, explore),
)
for command in COMMANDS:
    app.command(cls=options.Command)(command)
app.add_typer(datasets, name="datasets")
