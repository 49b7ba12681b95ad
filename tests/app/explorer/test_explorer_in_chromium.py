"""Tests of the explorer in Chromium."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from labeldist.app.explorer import write_explorer
from labeldist.simplex import ambiguity
from tests.app.explorer.poems import EVIL, LABELS, make_poems
from tests.pages import PHONE

pytestmark = pytest.mark.slow

FRAME, VERSIONS = make_poems()
TITLES = FRAME["title"].to_numpy()
GOOD, TRUE, POOR = VERSIONS.values()
GOOD[1], GOOD[2] = (0.5, 0.5, 0), 1 / 3  # ties
LOWER, UPPER = 0.5 * GOOD, 0.5 + 0.5 * GOOD


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "page.html"
    written = write_explorer(
        path,
        FRAME,
        label_names=LABELS,
        versions=VERSIONS,
        logical=FRAME[LABELS] > 0.4,
        truth="true",
        item="title",
        intervals={"good": (LOWER, UPPER)},
        title="Poems",
    )
    return written.as_uri()


def names(page):
    return page.locator("#list tbody th").all_inner_texts()


def heading(page):
    return page.locator("#item-name").inner_text()


def choose(page, label, option):
    page.get_by_role("combobox", name=label, exact=True).select_option(label=option)


def test_list_has_pages_and_steps(page):
    assert names(page) == list(TITLES[:50])
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("button", name="Next page").click()
    assert names(page) == list(TITLES[100:])
    assert page.get_by_role("button", name="Next page").is_disabled()
    page.get_by_role("button", name="Previous page").click()
    assert names(page) == list(TITLES[50:100])
    page.keyboard.press("ArrowRight")
    assert heading(page) == TITLES[1]
    page.get_by_role("button", name="Poem 3", exact=True).click()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == heading(page) == TITLES[1]


def test_item_shows_columns_labels_versions_and_intervals(page):
    page.get_by_role("button", name="Poem 7", exact=True).click()
    assert heading(page) == "Poem 7"
    terms, cells = (page.locator(f"#columns {tag}").all_inner_texts() for tag in ("dt", "dd"))
    row = FRAME.iloc[6]
    expected = {"Row of the table": "7", "author": row.author, "note": "plain"}
    assert dict(zip(terms, cells, strict=True)) == expected
    for k, label in enumerate(LABELS):
        bars = page.locator("#bars tr").nth(k)
        assert ("given" in bars.locator("th").inner_text()) == (row[label] > 0.4)
        good, *others = bars.locator("td > div").all_text_contents()
        degree, low, high = GOOD[6, k], LOWER[6, k], UPPER[6, k]
        assert good == f"good {degree:.3f}, 90 % interval {low:.3f} to {high:.3f}"
        assert others == [f"true {TRUE[6, k]:.3f}", f"poor {POOR[6, k]:.3f}"]
        bar, line = (bars.locator(name).first.bounding_box() for name in (".bar", ".interval"))
        scale = bar["width"] / degree
        assert line["x"] - bar["x"] == pytest.approx(scale * low, abs=1.5)
        assert line["width"] == pytest.approx(scale * (high - low), abs=1.5)


def test_search_and_top_label_filter_the_list(page):
    page.get_by_role("searchbox").fill("CLÉO plain")
    found = ((FRAME["author"] == "Cléo") & (FRAME["note"] == "plain")).to_numpy()
    assert names(page) == list(TITLES[found][:50])
    assert page.locator("#count").inner_text() == f"{found.sum()} of 120 items"
    assert heading(page) == TITLES[found][0]
    choose(page, "Top label", "fear")
    is_top = GOOD[:, 1] == GOOD.max(axis=1)
    assert names(page) == list(TITLES[found & is_top])
    page.get_by_role("searchbox").fill("nonesuch")
    assert names(page) == []
    assert page.locator("#item").is_hidden()


@pytest.mark.parametrize(
    ("order", "version", "key"),
    [
        ("most ambiguous first", "good", -ambiguity(GOOD)),
        ("most different first", "good", -np.abs(GOOD - TRUE).max(axis=1)),
        ("most similar first", "poor", np.abs(POOR - TRUE).max(axis=1)),
    ],
)
def test_list_is_sorted_and_the_address_restores_it(open_page, order, version, key):
    page = open_page()
    choose(page, "Version", version)
    choose(page, "Order", order)
    assert names(page)[:20] == list(TITLES[np.argsort(key)][:20])
    assert heading(page) == TITLES[np.argmin(key)]
    page.get_by_role("button", name="Next →").click()
    again = open_page("#" + page.url.partition("#")[2])
    assert (heading(again), names(again)) == (heading(page), names(page))


def test_invalid_address_and_markup_are_harmless(open_page):
    page = open_page("#item=x&sort=%22%5D&version=none&label=none&search=%3Cb%3E&constructor=1")
    assert names(page) == [EVIL]
    assert heading(page) == EVIL
    assert page.locator("img, #items b").count() == 0
    assert page.title() == "Poems"


@pytest.mark.parametrize(
    "options", [{"color_scheme": "dark"}, {"viewport": PHONE}], ids=["dark", "phone"]
)
def test_page_is_accessible_and_fits(open_page, options):
    page = open_page(**options)
    assert Axe().run(page).generate_snapshot() == ""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_page_without_scripts_has_the_summary(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("#items").is_hidden()
    assert page.get_by_text("scripts are disabled").is_visible()
    assert page.get_by_role("row", name="good").first.is_visible()
