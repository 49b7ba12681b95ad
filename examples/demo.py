"""Demonstrate label enhancement on ambiguous digits and on artificial data.

``python examples/demo.py --out build`` writes ``build/demo.html``, a self-contained page. It needs
matplotlib and jinja2.
"""

import argparse
import warnings
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.figure import Figure, FigureBase
from matplotlib.image import imsave

from labeldist import BDLDL, BDLDLCV, BDLE, BayesLE, EnhancedLearner
from labeldist.datasets import binarize, load_logical_digits, make_artificial
from labeldist.enhancement import LogicalSoftmax, Uniform
from labeldist.exceptions import TagWarning
from labeldist.learning import MeanDistribution
from labeldist.metrics import PAPER_MEASURES, score_all
from labeldist.simplex import normalize

Array = np.ndarray

Scores = dict[str, dict[str, float]]
"""The value of each measure, by method and then by measure."""

GRID_SIZE = 51
GIVEN_COLOUR, OTHER_COLOUR = (
    "#d55e00",
    "#0072b2",
)  # vermilion and blue of Okabe and Ito, for colour-blind readers
CARD_INCHES = (1.95, 1.15)
MIN_WRITTEN = 0.25
"""Degrees from this value on are written above their bars."""


@dataclass(frozen=True)
class Digit:
    """A handwritten digit, its given label, and the recovered degrees of all ten labels."""

    image: Array
    given: int
    degrees: Array

    @property
    def ambiguity(self) -> float:
        """The second largest degree: 0 for one label, ½ for two equal labels."""
        return float(np.sort(self.degrees)[-2])

    @property
    def dissent(self) -> float:
        """The largest degree minus the degree of the given label."""
        return float(self.degrees.max() - self.degrees[self.given])

    @property
    def description(self) -> str:
        """The alternative text of its picture."""
        descending = np.argsort(-self.degrees, kind="stable")
        shares = ", ".join(f"{label}: {self.degrees[label]:.2f}" for label in descending[:3])
        return f"A handwritten digit labelled {self.given}. Its largest degrees are {shares}."


def recover_digits() -> list[Digit]:
    """Recover the degrees of all digits."""
    digits = load_logical_digits()
    degrees = BDLE(graph_width="mean", output="project").fit_transform(digits.data, digits.logical)
    return [Digit(*row) for row in zip(digits.images, digits.target.tolist(), degrees, strict=True)]


def largest_degree_of_digits() -> float:
    """Return the largest degree that BayesLE gives to any digit."""
    digits = load_logical_digits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TagWarning)  # the page explains it
        return float(BayesLE().fit_transform(digits.data, digits.logical).max())


def choose_digits(digits: Sequence[Digit]) -> dict[str, list[Digit]]:
    """Choose the digits to show; only the four labels of the clear ones are chosen by hand."""
    return {
        "ambiguous": sorted(digits, key=lambda digit: digit.ambiguity, reverse=True)[:12],
        "clear": [
            min((d for d in digits if d.given == label), key=lambda d: d.ambiguity)
            for label in (1, 3, 8, 9)
        ],
        "disputed": sorted(digits, key=lambda digit: digit.dissent, reverse=True)[:4],
    }


def artificial_grid() -> tuple[Array, Array]:
    """Evaluate the formula of `make_artificial` on a surface, row by row of an image.

    The first two features form a grid on [−1, 1]², the third is sin((x₁ + x₂)π).
    """
    side = np.linspace(-1, 1, GRID_SIZE)
    x1, x2 = (coordinate.ravel() for coordinate in np.meshgrid(side, side))
    X = np.column_stack([x1, x2, np.sin((x1 + x2) * np.pi)])
    t = X + 0.5 * X**2 + 0.2 * X**3 + 1
    psi1 = (t @ [4, 2, 1]) ** 2
    psi2 = (t @ [1, 2, 4] + 0.01 * psi1) ** 2
    psi3 = (t @ [1, 4, 2] + 0.01 * psi2) ** 2
    return X, normalize(np.column_stack([psi1, psi2, psi3]))


def recover_grid() -> tuple[dict[str, Array], Scores]:
    """Return truth, logical labels, recovered degrees and their scores on the artificial set."""
    X, D = artificial_grid()
    L = binarize(D)
    enhancers = {
        "BDLE": BDLE(),
        "BayesLE": BayesLE(regressor="auto"),
        "LogicalSoftmax": LogicalSoftmax(),
        "Uniform": Uniform(),
    }
    recovered = {name: enhancer.fit_transform(X, L) for name, enhancer in enhancers.items()}
    scores = {name: score_all(D, degrees) for name, degrees in recovered.items()}
    return {"truth": D, "logical": L, **recovered}, scores


def learn() -> tuple[Scores, Scores]:
    """Score learners on 500 new rows: fitted to true degrees, and fitted to logical labels."""
    X, D = make_artificial(
        1000, random_state=0
    )  # the first 500 rows are make_artificial(500, random_state=0)
    X, X_new, D, D_new = X[:500], X[500:], D[:500], D[500:]

    def scores(learners: dict[str, Any], labels: Array) -> Scores:
        return {
            name: score_all(D_new, learner.fit(X, labels).predict(X_new))
            for name, learner in learners.items()
        }

    from_logical = {
        "BayesLE": EnhancedLearner(),
        "BDLE": EnhancedLearner(BDLE(), BDLDLCV()),
        "LogicalSoftmax": EnhancedLearner(LogicalSoftmax(), BDLDLCV()),
    }
    L = binarize(D)
    joint = BayesLE(regressor="kernel").fit(X, L)
    learned = {
        "BayesLE, joint": score_all(D_new, joint.transform(X_new)),
        **scores(from_logical, L),
    }
    return scores({"MeanDistribution": MeanDistribution(), "BDLDL": BDLDL()}, D), learned


def winners(scores: Scores, measure: str) -> set[str]:
    """Return the methods with the best value of a measure."""
    choose = max if PAPER_MEASURES[measure].higher_is_better else min
    best = choose(values[measure] for values in scores.values())
    return {method for method, values in scores.items() if values[measure] == best}


def verdict(scores: Scores) -> str:
    """Describe which method is best by which measures."""
    wins = {
        method: [m.title for m in PAPER_MEASURES.values() if method in winners(scores, m.name)]
        for method in scores
    }
    sentences = []
    for method, titles in wins.items():
        if len(titles) == len(PAPER_MEASURES):
            sentences.append(f"{method} is best by all {len(titles)} measures")
        elif titles:
            names = ", ".join(titles)
            share = f"{len(titles)} of {len(PAPER_MEASURES)} measures"
            sentences.append(f"{method} is best by {share} ({names})")
    return "; ".join(sentences)


def draw_digit(card: FigureBase, digit: Digit) -> None:
    """Draw a digit and its degrees."""
    picture, bars = card.subplots(1, 2, width_ratios=(2, 3))
    picture.imshow(digit.image, cmap="gray_r")
    picture.set_axis_off()
    picture.set_title(f"labelled {digit.given}", fontsize=8, loc="left")
    labels = range(len(digit.degrees))
    columns = bars.bar(labels, digit.degrees, color=OTHER_COLOUR)
    columns[digit.given].set_color(GIVEN_COLOUR)
    bars.bar_label(
        columns,
        [f"{d:.2f}".lstrip("0") if d >= MIN_WRITTEN else "" for d in digit.degrees],
        fontsize=7,
    )
    bars.set(xticks=labels, yticks=[], ylim=(0, 1.1))
    bars.tick_params(length=0, labelsize=8)
    bars.get_xticklabels()[digit.given].set(color=GIVEN_COLOUR, weight="bold")
    bars.spines[["left", "right", "top"]].set_visible(False)


def digits_picture(
    digits: Sequence[Digit], *, columns: int = 1, title: str | None = None, dpi: int = 220
) -> bytes:
    """Draw digits as cards in rows and columns."""
    rows = len(digits) // columns
    width, height = CARD_INCHES
    figure = Figure((columns * width, rows * height), layout="constrained")
    figure.suptitle(title, fontsize=10)
    for card, digit in zip(
        figure.subfigures(rows, columns, squeeze=False).flat, digits, strict=True
    ):
        draw_digit(card, digit)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def grid_picture(degrees: Array, brightest: float) -> bytes:
    """Draw each point of the grid with its three degrees as red, green and blue."""
    buffer = BytesIO()
    colours = np.minimum(degrees / brightest, 1).reshape(GRID_SIZE, GRID_SIZE, 3)
    imsave(buffer, colours, format="png", origin="lower")
    return buffer.getvalue()


def data_uri(picture: bytes) -> str:
    """Return a picture as a data URI."""
    return "data:image/png;base64," + b64encode(picture).decode("ascii")


def render(**content: object) -> str:
    """Render the template of the page."""
    templates = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=templates, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["data_uri"] = data_uri
    environment.globals.update(PAPER_MEASURES=PAPER_MEASURES, winners=winners, verdict=verdict)
    return environment.get_template("demo_page.html.jinja").render(content)


def main(argv: Sequence[str] | None = None) -> None:
    """Write the page and print a summary."""
    parser = argparse.ArgumentParser(
        description="Write a page that demonstrates label enhancement."
    )
    parser.add_argument(
        "--out", type=Path, default=Path("build"), help="folder of the page, demo.html"
    )
    parser.add_argument(
        "--picture", type=Path, help="also write the picture of the digits to this PNG file"
    )
    arguments = parser.parse_args(argv)
    page = arguments.out / "demo.html"

    digits = recover_digits()
    shown = choose_digits(digits)
    n_disputed = sum(digit.dissent > 0 for digit in digits)
    grid, recovery = recover_grid()
    from_truth, from_logical = learn()
    html = render(
        n_digits=len(digits),
        n_disputed=n_disputed,
        largest_degree=largest_degree_of_digits(),
        n_points=len(grid["truth"]),
        cards={
            name: [(digits_picture([digit]), digit.description) for digit in row]
            for name, row in shown.items()
        },
        squares={
            name: grid_picture(degrees, brightest=grid["truth"].max())
            for name, degrees in grid.items()
        },
        recovery=recovery,
        from_truth=from_truth,
        from_logical=from_logical,
        given_colour=GIVEN_COLOUR,
        other_colour=OTHER_COLOUR,
        min_written=MIN_WRITTEN,
    )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(html, encoding="utf-8")
    if arguments.picture:
        title = (
            "Twelve ambiguous digits and four clear ones: the given label and the recovered degrees"
        )
        picture = digits_picture(
            [*shown["ambiguous"], *shown["clear"]], columns=4, title=title, dpi=154
        )
        arguments.picture.write_bytes(picture)

    divergences = ", ".join(
        f"{name} {values['kl_divergence']:.4f}" for name, values in recovery.items()
    )
    print(
        f"Digits: {len(digits)} recovered; for {n_disputed} the largest degree is not that of the "
        "given label."
    )
    print(f"Artificial set: {verdict(recovery)}. Kullback-Leibler: {divergences}.")
    print(f"The page: {page}")


if __name__ == "__main__":
    main()
