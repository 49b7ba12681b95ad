"""What every part of the tests may use."""

import os
import shutil

# scikit-learn's check that array API dispatch changes nothing skips itself without this, and SciPy
# reads it once.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, settings

from labeldist.datasets import make_artificial

# The machines that run the tests are shared: a slow example is no failure, and every run tries the
# same examples.
settings.register_profile("labeldist", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("labeldist")

# One counterexample is enough; skip shrinking.
settings.register_profile(
    "mutation",
    settings.get_profile("labeldist"),
    max_examples=25,
    phases=[Phase.explicit, Phase.generate],
)


@pytest.fixture(scope="session")
def benchmark_folder() -> Path:
    """The folder of the benchmark sets; tests on real data are skipped where there is none."""
    folder = os.environ.get("LABELDIST_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LABELDIST_DATA does not name a folder with the benchmark sets")
    return Path(folder)


@pytest.fixture(scope="session")
def votes_folder() -> Path:
    """The folder of the published votes; tests on them are skipped where there is none."""
    folder = os.environ.get("LABELDIST_VOTES")
    if not folder or not Path(folder).is_dir():
        pytest.skip("LABELDIST_VOTES does not name a folder with the published votes")
    return Path(folder)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def curved():
    """Distributions that a linear map explains in part, and neighbours almost completely."""
    return make_artificial(200, random_state=0)


@pytest.fixture
def table(rng):
    """Return features whose scores, with noise, give the distributions."""
    X = rng.normal(1, 2, size=(50, 4))
    scores = np.exp(X[:, :3] / 3 + rng.normal(scale=0.2, size=(50, 3)))
    return X, scores / scores.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def browser():
    """A real Chromium; only for a module, since while it runs no other event loop can."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, address):
    """Open the page at the module's `address` with the given options.

    The browser may not complain, and nothing but the page itself may be requested.
    """
    contexts, complaints, requests = [], [], []

    def open_it(anchor="", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address + anchor)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []
    assert {url.partition("#")[0] for url in requests} == {address}


@pytest.fixture
def page(open_page):
    """The page at the module's `address`."""
    return open_page()
