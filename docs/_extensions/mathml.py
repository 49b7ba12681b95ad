"""Formulas as MathML, which browsers draw by themselves: no script and no network.

A formula that cannot be translated is a warning, and so fails the build.
"""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_logger = logging.getLogger(__name__)


def _translate(node: nodes.Element, display: str) -> str:
    formula = node.astext()
    try:
        return convert(formula, display=display)
    except Exception as error:  # the translator has no class of its own for them
        _logger.warning("%s in the formula %s", type(error).__name__, formula, location=node)
        return formula


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_translate(node, "inline"))
    raise nodes.SkipNode


def _display(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{_translate(node, "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw formulas as MathML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
