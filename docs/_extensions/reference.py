"""Write the reference pages at every build: one per public module, and the help of the commands.

The pages go to the folder ``reference``, which git ignores.
"""

import inspect
import sys
from pathlib import Path
from types import ModuleType

import click
import typer
from sphinx.application import Sphinx
from sphinx.config import Config
from typer.cli import get_docs_for_click

sys.path.append(str(Path(__file__).parents[2]))

from labeldist.cli.app import app as commands
from tools.check_docstrings import public_modules, public_names


def module_page(module: ModuleType) -> str:
    """Return the page of a public module: its docstring and all public names."""
    title = module.__name__
    names = "\n   ".join(public_names(module))
    return f"""{title}
{"=" * len(title)}

{inspect.getdoc(module)}

.. currentmodule:: {title}

.. autosummary::
   :toctree: names

   {names}
"""


def command_page() -> str:
    """Return the help of all commands as Markdown."""
    command = typer.main.get_command(commands)
    return get_docs_for_click(obj=command, ctx=click.Context(command, info_name="labeldist"), name="labeldist")


def write(app: Sphinx, _: Config) -> None:
    """Write the pages that have changed."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    pages = {f"{module.__name__}.rst": module_page(module) for module in public_modules()}
    pages["commands.md"] = command_page()
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:  # Sphinx rebuilds changed pages only
            page.write_text(text, encoding="utf-8")


def skip_inherited(_app: Sphinx, _kind: str, _name: str, member: object, skip: bool, _options: object) -> bool:
    """Skip methods that are inherited from scikit-learn."""
    return skip or str(getattr(member, "__module__", "")).startswith("sklearn.")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("config-inited", write)
    app.connect("autodoc-skip-member", skip_inherited)
    return {"parallel_read_safe": True}
