"""The explorer in a real browser: it searches, sorts, steps and remembers, and what it shows is text."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from labeldist.explorer import write_explorer
from labeldist.explorer._contents import MOST_ITEMS
from labeldist.simplex import ambiguity
from tests.explorer.poems import EVIL, LABELS, make_poems
from tests.pages import PHONE

FRAME, VERSIONS = make_poems()
TITLES = FRAME["title"].to_numpy()
GOOD, TRUE, POOR = (VERSIONS[name] for name in ("good", "true", "poor"))


def write(folder, n=None):
    frame, versions = (FRAME, VERSIONS) if n is None else make_poems(n)
    path = folder / "page.html"
    options = {"label_names": LABELS, "versions": versions, "truth": "true", "item": "title"}
    return write_explorer(path, frame, logical=frame[LABELS] > 0.4, **options).as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return write(tmp_path_factory.mktemp("explorer"))


def names(page):
    return page.locator("#list tbody th").all_inner_texts()


def heading(page):
    return page.locator("#item-name").inner_text()


def choose(page, label, option):
    page.locator("#items").get_by_role("combobox", name=label, exact=True).select_option(label=option)


def test_the_items_stand_in_the_order_of_the_table_a_page_at_a_time(page):
    assert names(page) == list(TITLES[:50])
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("button", name="Next page").click()
    assert names(page) == list(TITLES[100:])
    assert page.get_by_role("button", name="Next page").is_disabled()
    page.get_by_role("button", name="Previous page").click()
    assert names(page) == list(TITLES[50:100])


def test_an_item_shows_its_columns_its_given_labels_and_all_versions(page):
    page.get_by_role("button", name="Poem 7", exact=True).click()
    assert heading(page) == "Poem 7"
    terms, descriptions = (page.locator(f"#columns {tag}").all_inner_texts() for tag in ("dt", "dd"))
    shown = dict(zip(terms, descriptions, strict=True))
    row = FRAME.iloc[6]
    assert shown == {"Row of the table": "7", "author": row.author, "year": str(row.year), "note": "plain"}
    bars = page.locator("#bars tr")
    for k, label in enumerate(LABELS):
        assert ("given" in bars.nth(k).locator("th").inner_text()) == (row[label] > 0.4)
        spoken = bars.nth(k).locator("td > div").all_text_contents()
        assert spoken == [f"{name} {D[6, k]:.3f}" for name, D in VERSIONS.items()]
        widths = [bar.bounding_box()["width"] for bar in bars.nth(k).locator(".bar").all()]
        assert np.argmax(widths) == np.argmax([D[6, k] for D in VERSIONS.values()])


def test_an_interval_is_a_line_over_the_bar_and_is_spoken(tmp_path, browser):
    lower, upper = 0.5 * GOOD, 0.5 + 0.5 * GOOD
    path = write_explorer(
        tmp_path / "page.html", FRAME, label_names=LABELS, versions=VERSIONS, intervals={"good": (lower, upper)}
    )
    for viewport in (None, PHONE):
        context = browser.new_context(viewport=viewport) if viewport else browser.new_context()
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.locator("#bars .interval").count() == len(LABELS)  # of one version
        for k in range(len(LABELS)):
            row = page.locator("#bars tr").nth(k).locator("td > div").first
            text = f"90 % interval {lower[0, k]:.3f} to {upper[0, k]:.3f}"
            assert row.text_content() == f"good {GOOD[0, k]:.3f}, {text}"
            assert row.get_attribute("title") == text
            bar, line, number = (row.locator(name).bounding_box() for name in (".bar", ".interval", ".number"))
            scale = bar["width"] / GOOD[0, k]
            assert line["x"] - bar["x"] == pytest.approx(scale * lower[0, k], abs=1)
            assert line["width"] == pytest.approx(scale * (upper - lower)[0, k], abs=1)
            assert bar["y"] < line["y"] < line["y"] + line["height"] < bar["y"] + bar["height"]
            assert number["x"] > line["x"] + line["width"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert Axe().run(page).generate_snapshot() == ""
        context.close()


def test_search_looks_in_every_column_and_label_filters_by_the_top(page):
    search = page.get_by_role("searchbox")
    search.fill("CLÉO plain")
    found = (FRAME["author"] == "Cléo") & (FRAME["note"] == "plain")
    assert names(page) == list(TITLES[found][:50])
    assert page.locator("#count").inner_text() == f"{found.sum()} of 120 items"
    assert heading(page) == TITLES[found][0]
    choose(page, "Top label", f"fear ({(GOOD.argmax(axis=1) == 1).sum()})")
    both = found & (GOOD.argmax(axis=1) == 1)
    assert names(page) == list(TITLES[both])
    search.fill("nonesuch")
    assert names(page) == []
    assert page.locator("#count").inner_text() == "0 of 120 items"
    assert page.locator("#item").is_hidden()
    search.fill("")
    assert names(page)[0] == TITLES[GOOD.argmax(axis=1) == 1][0]


@pytest.mark.parametrize(
    ("order", "version", "key"),
    [
        ("most ambiguous first", "good", -ambiguity(GOOD)),
        ("clearest first", "poor", ambiguity(POOR)),
        ("furthest apart first", "good", -np.abs(GOOD - TRUE).max(axis=1)),
        ("closest together first", "poor", np.abs(POOR - TRUE).max(axis=1)),
    ],
)
def test_items_are_sorted_by_ambiguity_and_by_distance(page, order, version, key):
    choose(page, "Version", version)
    choose(page, "Order", order)
    assert names(page)[:20] == list(TITLES[np.argsort(key)][:20])
    assert heading(page) == TITLES[np.argmin(key)]


def test_distance_can_be_what_is_not_shared(page):
    choose(page, "Beside", "poor")
    choose(page, "Apart by", "1 − intersection")
    choose(page, "Order", "furthest apart first")
    apart = 1 - np.minimum(GOOD, POOR).sum(axis=1)
    assert names(page)[:20] == list(TITLES[np.argsort(-apart)][:20])
    assert page.locator("#list tbody tr td:last-child").first.inner_text() == f"{apart.max():.3f}"


def test_keys_step_through_the_items_and_find_the_search(page):
    for key, expected in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert heading(page) == TITLES[expected]
    page.keyboard.press("ArrowDown")  # which scrolls the page, as everywhere
    assert heading(page) == TITLES[1]
    page.get_by_role("button", name="Poem 2", exact=True).focus()
    for _ in range(49):
        page.keyboard.press("ArrowDown")
    assert heading(page) == TITLES[50]
    assert page.locator("#pages").inner_text() == "page 2 of 3"
    expect(page.get_by_role("button", name="Poem 51", exact=True)).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("a/b")
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("searchbox").input_value() == "a/b"
    assert page.get_by_role("button", name="Next page").is_disabled()


def test_the_chosen_item_stays_in_view_and_is_spoken(page):
    page.get_by_role("button", name="Poem 1", exact=True).focus()
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    row, box = (page.locator(selector).bounding_box() for selector in ("#list tr:has([aria-current])", "#list"))
    assert box["y"] <= row["y"]
    assert row["y"] + row["height"] <= box["y"] + box["height"]
    said = page.locator("#said")
    top = GOOD[30].argmax()
    assert said.inner_text() == f"Poem 31, 31 of 120: {LABELS[top]} {GOOD[30, top]:.2f}"
    assert said.get_attribute("role") == "status"  # which is polite


def test_the_address_remembers_item_and_order(open_page):
    page = open_page()
    choose(page, "Version", "poor")
    choose(page, "Order", "most ambiguous first")
    page.keyboard.press("Tab")
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    shown, listed = heading(page), names(page)
    again = open_page("#" + page.url.partition("#")[2])
    assert (heading(again), names(again)) == (shown, listed)
    assert shown == TITLES[np.argsort(-ambiguity(POOR))[1]]
    again.evaluate("location.hash = 'item=9&search=ada'")
    expect(again.get_by_role("searchbox")).to_have_value("ada")
    assert heading(again) in TITLES[FRAME["author"] == "Ada"]


def test_an_address_that_makes_no_sense_does_no_harm(open_page):
    page = open_page("#item=x&sort=%22%5D&version=none&label=none&by=%3Cb%3E&search=%3Cb%3E&constructor=1")
    assert page.get_by_role("searchbox").input_value() == "<b>"
    assert names(page) == [EVIL]
    page.get_by_role("searchbox").fill("")
    assert names(page) == list(TITLES[:50])


def test_two_versions_are_compared(page):
    choose(page, "Version", "true")
    choose(page, "Beside", "poor")
    apart = np.abs(TRUE - POOR).max(axis=1)
    order = np.argsort(-apart)[:10]
    lines = page.locator("#differing li")
    assert page.locator("#differing button").all_inner_texts() == list(TITLES[order])
    assert lines.first.inner_text().endswith(f"{apart.max():.3f} apart")
    lines.nth(2).get_by_role("button").click()
    assert heading(page) == TITLES[order[2]]
    expect(page.locator("#item-name")).to_be_in_viewport()
    choose(page, "Beside", "true")
    assert page.locator("#pair").inner_text() == "Choose two different versions."
    assert page.locator("#differing li").count() == 0


def test_a_cell_with_markup_is_text(open_page):
    page = open_page("#item=4")
    assert heading(page) == EVIL
    assert EVIL in page.locator("#columns").inner_text()
    assert page.locator("img, #items b").count() == 0
    assert page.title() == "Label distributions, item by item"


@pytest.mark.parametrize(
    "options",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": PHONE}],
    ids=["light", "dark", "telephone"],
)
def test_everybody_can_use_it(open_page, options):
    page = open_page(**options)
    assert Axe().run(page).generate_snapshot() == ""


def test_it_fits_a_telephone_and_shows_the_item_that_is_tapped(open_page):
    page = open_page(viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.get_by_role("button", name="Poem 5", exact=True).click()
    expect(page.locator("#item-name")).to_be_in_viewport()


def test_without_scripts_it_says_so_and_shows_the_first_items(open_page):
    page = open_page(java_script_enabled=False)
    assert page.get_by_text("needs JavaScript").is_visible()
    assert page.locator("#items").is_hidden()
    shown = page.get_by_role("row", name="Poem 10").inner_text()
    assert f"{LABELS[TRUE[9].argmax()]} {TRUE[9].max():.2f}" in shown
    assert page.get_by_role("rowheader", name=EVIL).is_visible()
    assert page.get_by_role("row", name="the mean of “true”").is_visible()


def test_on_paper_there_are_the_item_and_the_tables(page):
    page.emulate_media(media="print")
    assert page.locator(".controls:visible, .paging:visible, #list:visible").count() == 0
    assert page.locator("#bars .bar:visible").count() == 9


def test_as_many_items_as_it_holds_are_hardly_slower_than_few(browser, tmp_path):
    def seconds(n):
        context = browser.new_context()
        page = context.new_page()
        page.goto(write(tmp_path, n))
        search = """async (text) => {
          const box = document.querySelector("input[type=search]"), sort = document.querySelector("[data-state=sort]");
          const start = performance.now();
          for (const [control, value] of [[sort, "ambiguous"], [box, text], [sort, "apart"], [box, ""]]) {
            control.value = value;
            control.dispatchEvent(new Event("input", { bubbles: true }));
            document.body.offsetHeight; // lay it out
          }
          return (performance.now() - start) / 1000;
        }"""
        took = min(page.evaluate(search, text) for text in ("ben", "cl", "ada"))
        count = page.locator("#count").inner_text()
        context.close()
        assert count == f"{n:,} items"
        return took

    # What is shown is a page of fifty either way; the rest is a sort and a search.
    assert seconds(MOST_ITEMS) < 6 * max(seconds(200), 0.02)
