"""The demonstration: one page that stands alone and says what the numbers say."""

import re
from contextlib import redirect_stdout
from io import BytesIO, StringIO

import numpy as np
import pytest
from matplotlib.image import imread

from examples import demo
from labeldist import BDLE
from labeldist.datasets import binarize, load_logical_digits, make_artificial, make_artificial_grid
from labeldist.metrics import MEASURES, score_all
from tests.pages import Elements


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def output(folder):
    """What the demonstration prints, after it has written its page and its picture."""
    with redirect_stdout(StringIO()) as terminal:
        demo.main(["--out", str(folder / "new" / "build"), "--picture", str(folder / "digits.png")])
    return terminal.getvalue().splitlines()


@pytest.fixture(scope="module")
def html(folder, output):
    return (folder / "new" / "build" / "demo.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def elements(html):
    return Elements(html)


def made_up(**values):
    """Scores of methods that have one value for all measures of a direction: (lower is better, higher is better)."""
    return {
        method: {name: higher if measure.higher_is_better else lower for name, measure in MEASURES.items()}
        for method, (lower, higher) in values.items()
    }


def test_the_terminal_says_what_was_recovered_and_names_the_page(folder, output):
    assert len(output) <= 3
    assert "1797" in output[0]
    assert demo.verdict(demo.recover_grid()[1]) in output[1]
    assert output[-1].endswith(str(folder / "new" / "build" / "demo.html"))


def test_nothing_unfinished_is_left(folder, output):
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == ["demo.html", "digits.png"]


def test_the_page_needs_nothing_from_elsewhere(html, elements):
    assert not elements.of("script", "link", "iframe", "object")
    assert all(attributes["src"].startswith("data:image/") for attributes in elements.of("img"))
    assert not re.search(r"@import|url\(|https?://", re.sub(r"data:image/png;base64,[^\"]*", "", html))


def test_the_page_names_no_folder_of_this_machine(html, folder):
    assert str(folder) not in html
    assert not re.search(r"/(home|tmp|usr|work)/", re.sub(r"data:image/png;base64,[^\"]*", "", html))


def test_every_picture_is_described(elements):
    descriptions = [attributes.get("alt") for attributes in elements.of("img")]
    assert len(descriptions) == 12 + 4 + 4 + 4
    assert all(descriptions)
    assert not elements.of("svg")


def test_the_page_has_a_language_a_title_and_fits_a_telephone(elements):
    assert elements.of("html") == [{"lang": "en-GB"}]
    assert len(elements.of("title")) == len(elements.of("h1")) == len(elements.of("main")) == 1
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in elements.of("meta")


def test_the_page_shows_the_scores_of_bdle_on_the_grid(html):
    X, D = make_artificial_grid(51)
    scores = score_all(D, BDLE().fit_transform(X, binarize(D)))
    recovery = html[html.index('<h2 id="recovery">') : html.index('<h2 id="learning">')]
    for name, measure in MEASURES.items():
        row = re.search(rf"{measure.title} .*?<td>(.*?)</td>", recovery, flags=re.DOTALL)
        assert re.sub("<.*?>", "", row.group(1)) == f"{scores[name]:.4f}"


def test_the_best_of_each_row_is_bold():
    scores = made_up(good=(0.1, 0.5), bad=(0.2, 0.9))
    assert demo.winners(scores, "chebyshev") == {"good"}
    assert demo.winners(scores, "cosine") == {"bad"}
    assert demo.winners(made_up(one=(0.1, 0.5), two=(0.1, 0.4)), "clark") == {"one", "two"}


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        (made_up(BDLE=(0.1, 0.9), Uniform=(0.2, 0.8)), "BDLE is best by all 6 measures"),
        (made_up(BDLE=(0.3, 0.7), Uniform=(0.2, 0.8)), "Uniform is best by all 6 measures"),
        (
            made_up(BDLE=(0.1, 0.7), Uniform=(0.2, 0.8)),
            "BDLE is best by 4 of 6 measures (Chebyshev, Clark, Canberra, Kullback-Leibler); "
            "Uniform is best by 2 of 6 measures (Cosine, Intersection)",
        ),
        (
            made_up(BDLE=(0.1, 0.7), Uniform=(0.1, 0.7)),
            "BDLE is best by all 6 measures; Uniform is best by all 6 measures",
        ),
    ],
)
def test_the_sentence_follows_from_the_numbers(scores, sentence):
    assert demo.verdict(scores) == sentence


def test_every_table_has_its_sentence(html):
    for scores in (demo.recover_grid()[1], *demo.learn()):
        assert f'<p class="verdict">{demo.verdict(scores)}.</p>' in html


def test_digits_are_chosen_by_rule():
    image = np.zeros((8, 8))
    rows = [[0.9, 0.1], [0.55, 0.45], [0.4, 0.6]]
    clear, ambiguous, disputed = (demo.Digit(image, 0, np.array(degrees)) for degrees in rows)
    assert clear.ambiguity == 0.1
    assert ambiguous.ambiguity == 0.45
    assert clear.dissent == ambiguous.dissent == 0
    assert disputed.dissent == pytest.approx(0.2)
    assert "labelled 0" in disputed.description
    assert "1: 0.60, 0: 0.40" in disputed.description


def test_what_the_page_says_of_softmax_is_so():
    X, L = load_logical_digits(return_X_y=True)
    assert BDLE(graph_width="mean").fit_transform(X, L).max() < 1 / 3


def test_the_lines_for_ones_own_data_run(html):
    lines = re.search("<pre><code>(.*?)</code></pre>", html, flags=re.DOTALL).group(1)
    X, D = make_artificial(30, random_state=0)
    names = {"X": X[:20], "L": binarize(D[:20]), "X_new": X[20:]}
    exec(lines, names)  # noqa: S102  # they are the page's, and the page is ours
    assert names["degrees"].shape == (20, 3)
    assert names["new_degrees"].shape == (10, 3)


def test_the_picture_is_a_png_of_a_readable_size(folder, output):
    content = (folder / "digits.png").read_bytes()
    height, width, _ = imread(BytesIO(content), format="png").shape
    assert 1150 <= width <= 1250
    assert 500 <= height <= 900
    assert len(content) < 150_000


def test_without_a_name_no_picture_is_written(tmp_path, monkeypatch, html):
    """And the page of a second run is the same."""
    monkeypatch.chdir(tmp_path)
    demo.main([])
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["demo.html"]
    assert (tmp_path / "build" / "demo.html").read_text(encoding="utf-8") == html
