"""The reference, written at every build from what there is: the rooms of the package and the commands.

What it writes goes to the folder ``reference`` beside the pages, which git ignores.
"""

import inspect
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import click
import typer
from sphinx.application import Sphinx
from sphinx.config import Config
from typer.cli import get_docs_for_click

import labeldist
from labeldist.cli.app import app as commands


def public_rooms() -> list[ModuleType]:
    """Return the modules that ``dir(labeldist)`` names."""
    names = (getattr(labeldist, name) for name in dir(labeldist))
    return [room for room in names if isinstance(room, ModuleType)]


def room_page(room: ModuleType) -> str:
    """Return the page of a room: what it is for, and all that it exports."""
    return f"""{_heading(room.__name__)}
{inspect.getdoc(room)}

.. currentmodule:: {room.__name__}

.. autosummary::
   :toctree: names

   {_lines(public_names(room))}
"""


def _heading(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n"


def _lines(names: Iterable[str]) -> str:
    return "\n   ".join(names)


def public_names(room: ModuleType) -> list[str]:
    """Return what a room exports: its ``__all__``, or the classes and functions that it defines."""
    own = [name for name, thing in vars(room).items() if getattr(thing, "__module__", None) == room.__name__]
    return sorted(getattr(room, "__all__", [name for name in own if not name.startswith("_")]))


def command_page() -> str:
    """Return the help of the command and of each of its parts, as typer writes it."""
    command = typer.main.get_command(commands)
    return get_docs_for_click(obj=command, ctx=click.Context(command, info_name="labeldist"), name="labeldist")


def write(app: Sphinx, _: Config) -> None:
    """Write the pages, before Sphinx looks which pages there are."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    pages = {f"{room.__name__}.rst": room_page(room) for room in public_rooms()} | {"commands.md": command_page()}
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:  # an unchanged page is not built again
            page.write_text(text, encoding="utf-8")


def skip_foreign(_app: Sphinx, _kind: str, _name: str, member: object, skip: bool, _options: object) -> bool:
    """Leave to scikit-learn what is scikit-learn's: every estimator inherits a dozen methods from there."""
    return skip or str(getattr(member, "__module__", "")).startswith("sklearn.")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the reference when the configuration is known."""
    app.connect("config-inited", write)
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
