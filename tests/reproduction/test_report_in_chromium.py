"""The page in a real browser: it loads alone, sorts, filters, fits a telephone, and all can use it."""

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from labeldist.experiments.report import write_report
from tests.experiments.synthetic import make_records
from tests.pages import PHONE


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    stores = [make_records(), make_records(store="second.sqlite", seed=1)]
    path = write_report(pd.concat(stores, ignore_index=True), tmp_path_factory.mktemp("report") / "report.html")
    return path.as_uri()


def chapter(page, title):
    return page.locator("section[data-controlled]", has=page.get_by_role("heading", name=title, exact=True))


def first_table(page, title="Recovering distributions"):
    return chapter(page, title).locator("table:visible").first


def column(table, place):
    return [text.split()[0] for text in table.locator(f"tbody tr:visible td:nth-of-type({place})").all_inner_texts()]


def test_a_click_on_a_head_sorts_upwards_and_another_downwards(page):
    table = first_table(page)
    head = table.get_by_role("columnheader", name="BD-LE", exact=True)
    for direction, backwards in (("ascending", False), ("descending", True)):
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", direction)
        values = [float(value) for value in column(table, 1)]
        assert values == sorted(values, reverse=backwards)
        assert len(set(values)) > 1
    assert table.locator("th[aria-sort=ascending], th[aria-sort=descending]").count() == 1
    assert table.locator("tfoot th").inner_text() == "Average rank"


def test_sorting_works_by_keyboard_and_by_name(page):
    table = first_table(page)
    table.get_by_role("button", name="Set").focus()
    page.keyboard.press("Enter")
    names = table.locator("tbody th").all_inner_texts()
    assert names == sorted(names, key=str.lower)


def test_cells_without_a_value_stay_at_the_end(page):
    table = first_table(page, "Predicting distributions")
    place = table.locator("thead th").all_inner_texts().index("PT-SVM")
    button = table.get_by_role("button", name="PT-SVM")
    for _ in range(2):
        button.click()
        assert column(table, place)[-1] == "time-out"


def test_one_measure_is_shown_and_another_can_be_chosen(page):
    section = chapter(page, "Recovering distributions")
    assert "Chebyshev" in section.locator("caption:visible").inner_text()
    section.get_by_label("Measure").select_option("cosine")
    assert "Cosine" in section.locator("caption:visible").inner_text()
    section.get_by_label("Measure").select_option(label="All measures")
    assert section.locator("table:visible").count() == 6


def test_the_filter_keeps_sets_and_methods(page):
    section = chapter(page, "Recovering distributions")
    table = first_table(page)
    section.get_by_role("searchbox").fill("yeast, bd-le")
    assert table.locator("tbody th:visible").all_inner_texts() == ["Yeast_alpha", "Yeast_cold", "Yeast_spo5"]
    heads = [text.split("\n")[0].strip() for text in table.locator("thead th:visible").all_inner_texts()]
    assert heads == ["Set", "BD-LE", "BD-LE low rank", "BD-LE oracle"]
    assert table.locator("tbody tr:visible").first.locator("td:visible").count() == 3
    section.get_by_role("searchbox").fill("nonesuch")
    assert "nonesuch" in section.get_by_role("status").inner_text()
    section.get_by_role("searchbox").fill("")
    assert table.locator("tbody tr:visible").count() == 6
    assert table.locator("thead th:visible").count() == 11


def test_the_verdicts_are_filtered_by_verdict_and_by_word(page):
    section = chapter(page, "The verdict, cell by cell")
    section.locator("select").select_option("impossible")
    rows = section.locator("tbody tr:visible")
    assert rows.count() == 3
    assert section.get_by_role("status").inner_text() == "3 of 416 rows"
    assert all("Canberra" in text for text in rows.all_inner_texts())
    section.get_by_role("searchbox").fill("movie")
    assert section.get_by_role("status").inner_text() == "1 of 416 rows"


@pytest.mark.parametrize("open_details", [False, True], ids=["closed", "open"])
def test_it_fits_a_telephone(open_page, open_details):
    page = open_page(viewport=PHONE)
    if open_details:
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    wide = page.locator(".box:visible").first
    assert wide.evaluate("box => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === 'auto'")


@pytest.mark.parametrize(
    "options",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": PHONE}],
    ids=["light", "dark", "telephone"],
)
def test_everybody_can_use_it(open_page, options):
    assert Axe().run(open_page(**options)).generate_snapshot() == ""


def test_dark_is_dark(open_page):
    def shine(scheme):
        colour = open_page(color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))

    assert shine("dark") < 120
    assert shine("light") > 700


def test_without_scripts_everything_is_there(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("table.scores:visible").count() == 6 * 10
    assert page.locator(".controls:visible").count() == 0


def test_on_paper_nothing_is_cut_off(page):
    page.emulate_media(media="print")
    assert page.locator("nav:visible, .controls:visible").count() == 0
    tall = page.locator(".box.tall").first
    assert tall.evaluate("box => getComputedStyle(box).overflowY === 'visible' && box.clientHeight > 1000")
