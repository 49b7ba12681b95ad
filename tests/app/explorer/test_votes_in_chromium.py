"""Tests of the explorer's page of votes, and of its export, in Chromium."""

import io

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from numpy.testing import assert_allclose

from labeldist import VoteLE
from labeldist.simplex import ambiguity
from tests.app.cli.in_process import run
from tests.app.explorer.poems import EVIL, LABELS, make_poems

pytestmark = pytest.mark.slow

FRAME, _ = make_poems()
N_VOTES = 3
COUNTS = np.random.default_rng(1).multinomial(N_VOTES, FRAME[LABELS])
ENHANCER = VoteLE().fit(None, COUNTS)
ESTIMATE = ENHANCER.label_distributions_
LOWER, UPPER = ENHANCER.interval(0.9)
ORDER = np.argsort(-ambiguity(ESTIMATE).round(6), kind="stable")
NAME = "estimated by VoteLE"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("votes")
    frame = FRAME[["title", "author", "note"]].assign(votes=N_VOTES)
    frame[LABELS] = COUNTS / N_VOTES
    frame.to_csv(folder / "dist.csv", index=False)
    page = folder / "dist.html"
    labels = ",".join(LABELS)
    run("explore", folder / "dist.csv", "--labels", labels, "--item", "title", "-o", page)
    return page.as_uri()


def listed_titles(page):
    return page.locator("#list tbody th").all_inner_texts()


def saved_list(page):
    """Save the list, and return the table."""
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "items.csv"
    text = download.value.path().read_text(encoding="utf-8-sig")
    return pd.read_csv(io.StringIO(text))


def test_page_opens_sorted_by_disagreement(page):
    assert listed_titles(page) == FRAME["title"].iloc[ORDER[:50]].tolist()
    assert page.locator("#item-name").inner_text() == FRAME["title"].iloc[ORDER[0]]


def test_item_shows_votes_estimate_and_interval(page):
    item = ORDER[5]
    page.get_by_role("button", name=FRAME["title"].iloc[item], exact=True).click()
    for k in range(len(LABELS)):
        row = page.locator("#bars tr").nth(k)
        number = "1 vote" if COUNTS[item, k] == 1 else f"{COUNTS[item, k]} votes"
        assert row.locator("th").inner_text().endswith(number)
        estimate, votes = row.locator("td > div").all_text_contents()
        bounds = f"{LOWER[item, k]:.3f} to {UPPER[item, k]:.3f}"
        assert estimate == f"{NAME} {ESTIMATE[item, k]:.3f}, 90 % interval {bounds}"
        assert votes == f"votes in dist.csv {COUNTS[item, k] / N_VOTES:.3f}"


def test_saved_list_has_votes_degrees_and_bounds_in_the_order_shown(page):
    saved = saved_list(page)
    assert saved["item"].tolist() == FRAME["title"].iloc[ORDER].tolist()
    assert saved["row"].tolist() == (ORDER + 1).tolist()
    assert saved["author"].tolist() == FRAME["author"].iloc[ORDER].tolist()
    for prefix, ending, values in (
        ("votes", "", COUNTS),
        (NAME, "", ESTIMATE),
        (NAME, " lower", LOWER),
        (NAME, " upper", UPPER),
        ("votes in dist.csv", "", COUNTS / N_VOTES),
    ):
        columns = [f"{prefix}: {label}{ending}" for label in LABELS]
        assert_allclose(saved[columns], values[ORDER], atol=1e-4)
    assert_allclose(saved[f"{NAME}: ambiguity"], ambiguity(ESTIMATE)[ORDER], atol=1e-3)


def test_only_shown_items_are_saved_and_markup_is_quoted(page):
    page.get_by_role("searchbox").fill("onerror")
    saved = saved_list(page)
    assert saved["item"].tolist() == saved["note"].tolist() == [EVIL]


def test_page_of_votes_is_accessible(page):
    assert Axe().run(page).generate_snapshot() == ""
