"""The bad inputs that every method of both libraries is given; imports nothing of either.

A *question* is what a user passes: features and labels to learn from, and rows to answer for. A *case* spoils a good
question, and says by which words a message names what is wrong with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

ROWS, FEATURES, LABELS, NEW_ROWS = 60, 4, 3, 30


@dataclass(frozen=True)
class Question:
    """What to learn from, and the rows that are asked about."""

    X: Any
    y: Any
    X_new: Any
    learn_first: bool = True


@dataclass(frozen=True)
class Case:
    """One bad input.

    Attributes
    ----------
    name : str
    spoil : callable
        From a good question to a bad one.
    cause : str
        What a message must match, in any case of letters, to name the cause. Wide: any hint counts.
    answerable : bool
        Whether there is a right answer. If not, every answer is wrong.
    same : bool
        Whether the right answer is the one to the good question; if not, any distributions will do.
    new_rows : bool
        Whether it is the rows asked about that are bad, and not what is learned from.
    """

    name: str
    spoil: Callable[[Question], Question]
    cause: str
    answerable: bool = False
    same: bool = False
    new_rows: bool = False


def good_question(logical: bool) -> Question:
    """Return features with the distributions that depend on them, or with their logical labels.

    float32 holds all numbers exactly, so that every form of the question holds the same.
    """
    rng = np.random.default_rng(0)
    X, X_new = (rng.normal(size=(n, FEATURES)).astype(np.float32).astype(np.float64) for n in (ROWS, NEW_ROWS))
    scores = np.exp(X[:, :LABELS])
    D = rng.multinomial(64, scores / scores.sum(axis=1, keepdims=True)) / 64
    return Question(X, (D > 0.3).astype(np.float64) if logical else D, X_new)


def _with(table: np.ndarray, value: float) -> np.ndarray:
    spoiled = table.copy()
    spoiled[3, 1] = value
    return spoiled


def _without_a_label(question: Question) -> Question:
    """Let the first label take over from the last, so that no row is left without any."""
    first, second, last = question.y.T
    return replace(question, y=np.column_stack([np.minimum(first + last, 1), second, 0 * last]))


def _words(table: np.ndarray) -> np.ndarray:
    return np.array([["high" if cell > 0 else "low" for cell in row] for row in table], dtype=object)


def _frame(table: np.ndarray, names: str) -> pd.DataFrame:
    return pd.DataFrame(table, columns=list(names))


def _frames(question: Question) -> Question:
    return Question(_frame(question.X, "abcd"), _frame(question.y, "rgb"), _frame(question.X_new, "abcd"))


def _reordered(question: Question) -> Question:
    frames = _frames(question)
    return replace(frames, X_new=frames.X_new[list("dbca")])


Change = Callable[[np.ndarray], Any]


def _in(change: Change, *parts: str) -> Callable[[Question], Question]:
    """Change some parts of a question."""
    return lambda question: replace(question, **{part: change(getattr(question, part)) for part in parts})


NAN, INFINITE = r"\bnan\b|missing|finite", r"\binf|finite|too large"
UNLIKE_ROWS = rf"{ROWS}.*{ROWS - 1}|{ROWS - 1}.*{ROWS}|inconsistent|mismatch|number of (rows|samples)"
ONE_DIMENSION = r"[12]-?d\b|dimension|reshape"
WORDS = r"string|numeric|numbers"
NO_ROWS = r"\b0 sample|empty|no (rows|samples)|zero-size|size 0|at least one|\(0,"
OTHER_WIDTH = rf"features|columns|{FEATURES}.*{FEATURES + 1}|{FEATURES + 1}.*{FEATURES}"

GOOD, GOOD_NEW = "nothing wrong", "nothing wrong, new rows"
EVERYWHERE = ("X", "y", "X_new")
CASES = [
    # Good input, and good input in another form: there is a right answer.
    Case(GOOD, lambda question: question, "$^", answerable=True),
    Case(GOOD_NEW, lambda question: question, "$^", answerable=True, new_rows=True),
    Case("lists", _in(np.ndarray.tolist, *EVERYWHERE), "list", answerable=True, same=True),
    Case("data frames", _frames, "frame|pandas", answerable=True, same=True),
    Case("float32", _in(np.float32, *EVERYWHERE), "float", answerable=True, same=True),
    Case("sparse features", _in(sparse.csr_array, "X", "X_new"), "sparse|csr", answerable=True, same=True),
    Case("sparse labels", _in(sparse.csr_array, "y"), "sparse|csr", answerable=True, same=True),
    Case("a label column of zeros", _without_a_label, "zero|never|no positive|empty", answerable=True),
    # Nothing to learn from.
    Case("NaN in the features", _in(lambda X: _with(X, np.nan), "X"), NAN),
    Case("infinity in the features", _in(lambda X: _with(X, np.inf), "X"), INFINITE),
    Case("words as features", _in(_words, "X"), WORDS),
    Case("1-D features", _in(lambda X: X[:, 0], "X"), ONE_DIMENSION),
    Case("NaN in the labels", _in(lambda y: _with(y, np.nan), "y"), NAN),
    Case("infinity in the labels", _in(lambda y: _with(y, np.inf), "y"), INFINITE),
    Case("a negative label", _in(lambda y: _with(y, -0.5), "y"), "negativ"),
    Case("words as labels", _in(_words, "y"), WORDS),
    Case("1-D labels", _in(lambda y: y.argmax(axis=1), "y"), ONE_DIMENSION),
    Case("fewer rows of labels", _in(lambda y: y[:-1], "y"), UNLIKE_ROWS),
    Case("more rows of labels", _in(lambda X: X[:-1], "X"), UNLIKE_ROWS),
    Case("no rows", _in(lambda table: table[:0], "X", "y"), NO_ROWS),
    # Nothing to answer.
    Case("asked before fit", lambda q: replace(q, learn_first=False), "fitted|'fit|been fit|call fit", new_rows=True),
    Case("NaN in new rows", _in(lambda X: _with(X, np.nan), "X_new"), NAN, new_rows=True),
    Case("infinity in new rows", _in(lambda X: _with(X, np.inf), "X_new"), INFINITE, new_rows=True),
    Case("words in new rows", _in(_words, "X_new"), WORDS, new_rows=True),
    Case("one new row, 1-D", _in(lambda X: X[0], "X_new"), ONE_DIMENSION, new_rows=True),
    Case("a feature too many", _in(lambda X: np.hstack([X, X[:, :1]]), "X_new"), OTHER_WIDTH, new_rows=True),
    # There is an answer again.
    Case("no new rows", _in(lambda X: X[:0], "X_new"), NO_ROWS, answerable=True, new_rows=True),
    Case("columns in another order", _reordered, "order|feature names", answerable=True, same=True, new_rows=True),
]
