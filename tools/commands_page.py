"""The page docs/commands.md, from the help of the commands."""

import re

import typer
from typer.cli import get_docs_for_click

from labeldist.app.cli.app import app

INTRODUCTION = """\
<!-- `make pages` writes this page from the help of the commands. -->
# Commands

All commands follow the same rules:

- An output file is written completely or not at all. Existing files are overwritten only with
  `--force`.
- Errors in data are one line on standard error, with row and column where a cell is wrong. The exit
  codes are listed below.
- `--json` prints the result as JSON.
- Progress is shown on a terminal only.
- `labeldist --install-completion` installs completion for the shell.

"""


def commands_page() -> str:
    """Return the page: rules of all commands, and their help as Markdown."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="labeldist")
    text = get_docs_for_click(obj=command, ctx=context, name="labeldist")
    text = text.replace("```console\n$ ", "```text\n")  # usage is not an example to run
    text = re.sub(r"^#", "##", text, flags=re.MULTILINE)
    return INTRODUCTION + text.rstrip() + "\n"
