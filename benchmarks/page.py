"""An HTML page of tables and growth curves."""

import base64
import html
import io
import math
from pathlib import Path
from typing import Any

import numpy as np

STYLE = (
    "body{font:16px system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}table{border-collapse:collapse}"
    "td,th{padding:.3rem .8rem;text-align:right;border-bottom:1px solid #ddd}"
    "td:first-child,th:first-child{text-align:left}img{max-width:100%}"
)


class Page:
    """Collect tables, sentences and pictures, and write them as one HTML file."""

    def __init__(self, title: str, subtitle: str) -> None:
        self.parts = [f"<h1>{html.escape(title)}</h1><p>{html.escape(subtitle)}</p>"]
        self.title = title
        self.in_table = False

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._end_table()
        self.parts.append(f"<h2>{html.escape(text)}</h2>")
        print(f"\n{text}")

    def text(self, text: str) -> None:
        """Add a sentence."""
        self._end_table()
        self.parts.append(f"<p>{html.escape(text)}</p>")
        print(text, flush=True)

    def head(self, *titles: str) -> None:
        """Begin a table."""
        self.parts.append(
            "<table><tr>" + "".join(f"<th>{html.escape(title)}</th>" for title in titles) + "</tr>"
        )
        self.in_table = True
        print(" | ".join(titles))

    def row(self, *cells: Any) -> None:
        """Add a row to the table."""
        shown = [_shown(cell) for cell in cells]
        self.parts.append(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in shown) + "</tr>"
        )
        print(" | ".join(shown), flush=True)

    def growth(self, what: str, title: str, sizes: list[int], seconds: list[float]) -> None:
        """Plot times over sizes on logarithmic axes, with the fitted exponent."""
        from matplotlib.figure import Figure

        exponent = (
            float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]) if len(sizes) > 1 else math.nan
        )
        self.text(f"{title} over {what}: exponent {exponent:.2f}")
        figure = Figure(figsize=(5, 3.2), layout="constrained")
        axes = figure.subplots()
        axes.loglog(sizes, seconds, "o-")
        axes.set(xlabel=what, ylabel="seconds", title=f"{title}, exponent {exponent:.2f}")
        axes.grid(alpha=0.3, which="both")
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=120)
        data = base64.b64encode(picture.getvalue()).decode()
        self.parts.append(
            f'<img alt="{html.escape(title)} over {html.escape(what)}" '
            f'src="data:image/png;base64,{data}">'
        )

    def write(self, path: Path) -> None:
        """Write the page."""
        self._end_table()
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f"<meta charset=utf-8><title>{html.escape(self.title)}</title><style>{STYLE}</style>"
        path.write_text(
            f"<!doctype html><html lang=en>{head}<body>{''.join(self.parts)}</body></html>",
            encoding="utf-8",
        )

    def _end_table(self) -> None:
        if self.in_table:
            self.parts.append("</table>")
            self.in_table = False


def _shown(cell: Any) -> str:
    if isinstance(cell, float):
        return "" if math.isnan(cell) else f"{cell:.3g}"
    return str(cell)
