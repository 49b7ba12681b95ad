"""Write the reference pages at every build, one per public module.

The pages go to the folder ``reference``, which git ignores.
"""

import inspect
import sys
from pathlib import Path
from types import ModuleType

from sphinx.application import Sphinx
from sphinx.config import Config

sys.path.append(str(Path(__file__).parents[2]))

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


def write(app: Sphinx, _: Config) -> None:
    """Write the pages that have changed."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    for module in public_modules():
        text = module_page(module)
        page = folder / f"{module.__name__}.rst"
        # Sphinx rebuilds changed pages only.
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def skip_inherited(
    _app: Sphinx, _kind: str, _name: str, member: object, skip: bool, _options: object
) -> bool:
    """Skip methods that are inherited from scikit-learn."""
    return skip or str(getattr(member, "__module__", "")).startswith("sklearn.")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("config-inited", write)
    app.connect("autodoc-skip-member", skip_inherited)
    return {"parallel_read_safe": True}
