"""Pages of the documentation that are made from the code."""

import pytest

from tools.generate_pages import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_page_is_up_to_date(name):
    page = (DOCS / name).read_text(encoding="utf-8")
    assert page == PAGES[name](), "Run `make pages`."
