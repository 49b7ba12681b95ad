"""Run the examples of a page of the documentation."""

import doctest
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from typer.testing import CliRunner

from labeldist.app.cli.app import app

BLOCK = re.compile(
    r"^(?P<before>[^\n]*)\n\n```(?P<kind>python|console|text)\n(?P<text>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
FILE = re.compile(r"`([\w.]+\.csv)`:$")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class WrongExampleError(AssertionError):
    """The output of an example differs from the page."""


def walk_through(page: Path) -> dict[str, Any]:
    """Run the examples of a page in the current folder, and return the names that it defines.

    - ``python``: executed, all blocks in one namespace; blocks with ``>>>`` are doctests.
    - ``console``: lines ``$ labeldist …`` must succeed with the output that follows them; ``...``
      matches anything. Other commands are not run.
    - ``text`` after a line that ends with a file name and a colon: the content of that file.
    """
    module = ModuleType(page.stem)
    sys.modules[page.stem] = module  # so that classes of the page can be pickled
    names = vars(module)
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        before, kind, text = match["before"], match["kind"], match["text"]
        if kind == "console":
            for command, shown in commands(text):
                run_command(command, shown)
        elif kind == "text":
            if file := FILE.search(before):
                Path(file[1]).write_text(text, encoding="utf-8")
        elif text.startswith(">>>"):
            run_doctest(text, names, page)
        else:
            exec(compile(text, str(page), "exec"), names)  # noqa: S102  # code of our own pages
    return names


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands ``labeldist`` of a console block with their outputs."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, _, shown = part.partition("\n")
        while first.endswith("\\"):
            more, _, shown = shown.partition("\n")
            first = first[:-1] + more
        if first.startswith("labeldist "):
            yield first, shown


def run_command(command: str, shown: str) -> None:
    """Run a command and compare its output with the page."""
    result = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="labeldist")
    if result.exit_code != 0:
        raise WrongExampleError(
            f"{command}\nexited with {result.exit_code}: {result.output}"
        ) from result.exception
    output = result.stderr + result.stdout
    if shown.strip() and not doctest.OutputChecker().check_output(shown, output, FLAGS):
        raise WrongExampleError(f"{command}\nprinted\n{output}\ninstead of\n{shown}")


def run_doctest(text: str, names: dict[str, Any], page: Path) -> None:
    """Run a block of doctests."""
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    printed: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(
        test, out=printed.append, clear_globs=False
    )
    names.update(test.globs)
    if failed:
        raise WrongExampleError("".join(printed))
