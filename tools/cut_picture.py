"""Write a picture of one element of a page, as Chromium draws it.

``python -m tools.cut_picture PAGE SELECTOR PICTURE`` needs Chromium; `make figures` runs it.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

VIEWPORT = ViewportSize(width=1300, height=900)


def cut(page: Path, selector: str, picture: Path) -> None:
    """Write the element that a CSS selector names to a PNG file."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        tab = browser.new_page(viewport=VIEWPORT, color_scheme="light")
        tab.goto(page.resolve().as_uri())
        tab.locator(selector).screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    cut(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
