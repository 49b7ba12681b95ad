"""Do what a page of the documentation tells its reader to do, from top to bottom, in an empty folder."""

import doctest
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from typer.testing import CliRunner

from labeldist.cli.app import app

BLOCK = re.compile(
    r"^(?P<before>[^\n]*)\n\n```(?P<kind>python|console|text)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE
)
FILE = re.compile(r"`([\w.]+\.csv)`:$")
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class WrongExampleError(AssertionError):
    """What a page shows is not what happens."""


def walk_through(page: Path) -> dict[str, Any]:
    """Run a page's examples where we are, and return the names that its Python defines.

    - ``python``: executed, all blocks of a page in one namespace; with ``>>>``, as doctests.
    - ``console``: lines ``$ labeldist …`` are run and must succeed; the lines below one are its output, in which
      ``...`` stands for anything. Other commands (pip, cd) are the reader's.
    - ``text`` after a line that ends in a file's name and a colon: the content of that file.
    """
    module = ModuleType(page.stem)
    sys.modules[page.stem] = module  # where pickle looks for the classes that a page defines
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
            exec(compile(text, str(page), "exec"), names)  # noqa: S102  # the reader will run it, too
    return names


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block that are ours, each with the output that is shown."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, _, shown = part.partition("\n")
        while first.endswith("\\"):
            more, _, shown = shown.partition("\n")
            first = first[:-1] + more
        if first.startswith("labeldist "):
            yield first, shown


def run_command(command: str, shown: str) -> None:
    """Run a command as its reader would; it must succeed and say what is shown, if anything is."""
    result = CliRunner().invoke(app, shlex.split(command)[1:], prog_name="labeldist")
    if result.exit_code != 0:
        raise WrongExampleError(f"{command}\nended with {result.exit_code}: {result.output}") from result.exception
    said = result.stderr + result.stdout  # notes come before the result
    if shown.strip() and not doctest.OutputChecker().check_output(shown, said, LOOSELY):
        raise WrongExampleError(f"{command}\nsays\n{said}\nand not\n{shown}")


def run_doctest(text: str, names: dict[str, Any], page: Path) -> None:
    """Run lines that begin with ``>>>``; what they show must come out."""
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False, optionflags=LOOSELY).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    if failed:
        raise WrongExampleError("".join(said))
