"""What the pages of labeldist share: their look (``base.css``), their frame and how they are rendered.

A page is one file that needs nothing else: its template extends ``base.html.jinja`` and includes its own sheet and
script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labeldist._extras import require

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(package: str) -> Environment:
    """Return the Jinja environment of the templates that lie in `package`, beside those of this room.

    All values are escaped, and a name that the template does not get is an error.
    """
    jinja2 = require("jinja2", "app")
    made: Environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name, ".") for name in (package, __name__)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(zip=zip, arrow=lambda measure: "↑" if measure.higher_is_better else "↓")
    return made
