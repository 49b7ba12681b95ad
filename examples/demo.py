"""Show what labeldist does with votes and with tags, on one page.

``python examples/demo.py --out build`` writes ``build/demo.html``, a self-contained page. It needs
matplotlib and jinja2.
"""

import argparse
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matplotlib.image import imsave
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from labeldist import BDLDLCV, BayesLE, VoteLE
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement import LogicalSoftmax
from labeldist.features import KernelFeatures
from labeldist.learning import SoftmaxRegressionCV
from labeldist.metrics import intersection, skill
from labeldist.published import make_published
from labeldist.simplex import normalize, softmax
from labeldist.votes import from_votes, noise_ceiling

Array = np.ndarray

N_DIGITS = 1200
N_OTHERS = 597  # digits that only the simulated crowd has seen
TEMPERATURE = 1.6  # the largest degree is two thirds on average
N_TRAINING = 800
N_VOTES = 3
VOTES_OF_CURVE = (2, 3, 5, 10, 20)
N_CARDS = 6
GRID_SIZE = 51


@dataclass(frozen=True)
class Digits:
    """Handwritten digits and the shares of a simulated crowd that read each as 0 to 9."""

    pixels: Array
    truth: Array

    def vote(self, n_votes: int) -> Array:
        """Draw votes, and return their counts."""
        return np.random.default_rng(n_votes).multinomial(n_votes, self.truth)


@dataclass(frozen=True)
class Card:
    """A digit, its votes, and the estimated and the true degrees of all ten labels."""

    image: Array
    votes: list[int]
    estimate: Array
    lower: Array
    upper: Array
    truth: Array

    @property
    def description(self) -> str:
        """The alternative text of its picture."""
        names = " and ".join(map(str, self.votes))
        largest = int(self.truth.argmax())
        return (
            f"A handwritten digit with votes for {names}. The true degree of {largest} is "
            f"{self.truth[largest]:.2f}, the estimate {self.estimate[largest]:.2f}."
        )


def make_digits() -> Digits:
    """Simulate the crowd: a classifier, fitted to other digits, gives tempered probabilities."""
    pixels, classes = load_digits(return_X_y=True)
    pixels = pixels / 16
    classifier = LogisticRegression(max_iter=500).fit(pixels[:N_OTHERS], classes[:N_OTHERS])
    shown = pixels[N_OTHERS : N_OTHERS + N_DIGITS]
    return Digits(shown, softmax(classifier.decision_function(shown) / TEMPERATURE))


def error(truth: Array, degrees: Array) -> float:
    """Return the mean share of the degrees that is at the wrong label."""
    return 1 - intersection(truth, degrees)


def make_cards(digits: Digits) -> tuple[list[Card], float]:
    """Estimate degrees from three votes.

    Return cards of digits at equal steps from disputed to clear, and the share of all digits whose
    interval contains the largest true degree.
    """
    counts = digits.vote(N_VOTES)
    enhancer = VoteLE(learner="auto").fit(digits.pixels, counts)
    lower, upper = enhancer.interval(0.9)
    largest = np.eye(10, dtype=bool)[digits.truth.argmax(axis=1)]
    covered = ((lower <= digits.truth) & (digits.truth <= upper))[largest]
    from_disputed_to_clear = np.argsort(digits.truth.max(axis=1), kind="stable")
    steps = (np.arange(N_CARDS) + 0.5) / N_CARDS * len(counts)
    cards = [
        Card(
            digits.pixels[i].reshape(8, 8),
            np.repeat(np.arange(10), counts[i]).tolist(),
            enhancer.label_distributions_[i],
            lower[i],
            upper[i],
            digits.truth[i],
        )
        for i in from_disputed_to_clear[steps.astype(int)]
    ]
    return cards, float(covered.mean())


def error_curves(digits: Digits) -> dict[str, list[float]]:
    """Return the errors of three estimates for several numbers of votes."""
    curves: dict[str, list[float]] = {"counting": [], "VoteLE": [], "VoteLE with pixels": []}
    for n_votes in VOTES_OF_CURVE:
        counts = digits.vote(n_votes)
        estimates = {
            "counting": normalize(counts),
            "VoteLE": VoteLE().fit_transform(digits.pixels, counts),
            "VoteLE with pixels": VoteLE("auto").fit(digits.pixels, counts).label_distributions_,
        }
        for name, degrees in estimates.items():
            curves[name].append(error(digits.truth, degrees))
    return curves


def learn_from_votes(digits: Digits) -> tuple[dict[str, float], float, float]:
    """Return skills on new digits, judged by votes: of learners, of the truth, and its estimate."""
    votes = from_votes(digits.vote(N_VOTES))
    shares = votes.distributions
    training = slice(N_TRAINING)
    new = slice(N_TRAINING, None)
    majority = np.eye(10)[shares.argmax(axis=1)]
    skills = {}
    for name, degrees in {"majority votes": majority, "shares of votes": shares}.items():
        learner = SoftmaxRegressionCV().fit(digits.pixels[training], degrees[training])
        skills[name] = skill(shares[new], learner.predict(digits.pixels[new]))
    enhancer = VoteLE("auto").fit(digits.pixels[training], votes.counts[training])
    skills["VoteLE"] = skill(shares[new], enhancer.transform(digits.pixels[new]))
    ceiling = noise_ceiling(votes, estimate=VoteLE().fit(None, votes))
    return skills, skill(shares[new], digits.truth[new]), ceiling


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


def enhance(X: Array, tags: Array) -> dict[str, Array]:
    """Recover degrees from tags."""
    return {
        "BD-LE": make_published("BD-LE").fit_transform(X, tags),
        "BayesLE": BayesLE(regressor="auto").fit_transform(X, tags),
    }


def learn_from_tags() -> dict[str, float]:
    """Return the skills on new points of one learner, fitted to four kinds of labels."""
    X, D = make_artificial(500, random_state=0)
    X_new, D_new = make_artificial(500, random_state=1)
    tags = binarize(D)
    softmax_of_tags = LogicalSoftmax().fit_transform(X, tags)
    labels = {"softmax of tags": softmax_of_tags, **enhance(X, tags), "true degrees": D}
    skills = {}
    for name, degrees in labels.items():
        learner = make_pipeline(KernelFeatures(n_components=100), BDLDLCV())
        skills[name] = learner.fit(X, degrees).score(X_new, D_new)
    return skills


def surface_picture(degrees: Array, brightest: float) -> bytes:
    """Draw each point of the grid with its three degrees as red, green and blue."""
    colours = np.minimum(degrees / brightest, 1).reshape(GRID_SIZE, GRID_SIZE, 3)
    buffer = BytesIO()
    imsave(buffer, colours, format="png", origin="lower")
    return buffer.getvalue()


def digit_picture(image: Array) -> bytes:
    """Draw a digit in black on white, one pixel per pixel."""
    buffer = BytesIO()
    imsave(buffer, image, format="png", cmap="gray_r")
    return buffer.getvalue()


def data_uri(picture: bytes) -> str:
    """Return a picture as a data URI."""
    return "data:image/png;base64," + b64encode(picture).decode("ascii")


def render(**content: object) -> str:
    """Render the template of the page."""
    templates = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=templates,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data_uri"] = data_uri
    environment.filters["digit_picture"] = digit_picture
    return environment.get_template("demo_page.html.jinja").render(content)


def main(argv: Sequence[str] | None = None) -> None:
    """Write the page and print a summary."""
    parser = argparse.ArgumentParser(description="Write a page that shows what labeldist does.")
    parser.add_argument(
        "--out", type=Path, default=Path("build"), help="folder of the page, demo.html"
    )
    page = parser.parse_args(argv).out / "demo.html"

    digits = make_digits()
    curves = error_curves(digits)
    cards, coverage = make_cards(digits)
    skills_from_votes, ceiling, estimated_ceiling = learn_from_votes(digits)
    X, D = artificial_grid()
    tags = binarize(D)
    recovered = enhance(X, tags)
    surfaces = {"truth": D, "tags": tags, **recovered}
    html = render(
        n_digits=len(digits.pixels),
        n_training=N_TRAINING,
        n_votes=N_VOTES,
        n_points=len(X),
        cards=cards,
        coverage=coverage,
        votes_of_curve=VOTES_OF_CURVE,
        curves=curves,
        surfaces={name: surface_picture(values, D.max()) for name, values in surfaces.items()},
        surface_errors={name: error(D, degrees) for name, degrees in recovered.items()},
        skills_from_votes=skills_from_votes,
        ceiling=ceiling,
        estimated_ceiling=estimated_ceiling,
        skills_from_tags=learn_from_tags(),
    )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(html, encoding="utf-8")

    errors = {name: values[VOTES_OF_CURVE.index(N_VOTES)] for name, values in curves.items()}
    summary = ", ".join(f"{name} {value:.2f}" for name, value in errors.items())
    print(f"{len(digits.pixels)} digits with {N_VOTES} votes each. Error of {summary}.")
    print(f"The page: {page}")


if __name__ == "__main__":
    main()
