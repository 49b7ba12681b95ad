"""Effects of the options of the enhancers."""

import numpy as np
import pytest

from labeldist import BDLE
from labeldist.datasets import make_artificial
from labeldist.published import DLDL, FCM, GLLE, KM, LP, ML

OUTPUT = [{"output": "clip"}, {"output": "project"}, {"floor": 0.35}]
KERNEL = [
    {"smoothness": 1.0},
    {"kernel": "linear"},
    {"graph_width": 0.4},
    {"scale": False},
    {"sharpness": 2.0},
]
OPTIONS = {
    BDLE: [
        *KERNEL,
        *OUTPUT,
        {"reconstruction": 0.1},
        {"kernel": lambda A, B: (1 + A @ B.T) ** 2},
        {"bandwidth": 0.3},
        {"n_neighbors": 10, "smoothness": 1e-2},
        {"graph_width": "mean"},
    ],
    GLLE: [*KERNEL, *OUTPUT, {"bandwidth": 5.0}, {"n_neighbors": 10}, {"solver": "lbfgs"}],
    FCM: [*OUTPUT, {"n_clusters": 5}, {"fuzziness": 1.5}, {"scale": True}, {"sharpness": 3.0}],
    KM: [*OUTPUT, {"bandwidth": 0.1}, {"scale": True}, {"sharpness": 2.0}],
    LP: [
        *OUTPUT,
        {"spread": 0.8},
        {"width": 0.3},
        {"width": "mean"},
        {"scale": True},
        {"sharpness": 2.0},
    ],
    ML: [*OUTPUT, {"n_neighbors": 2}, {"scale": True}, {"sharpness": 0.2}],
    DLDL: [
        {"smoothness": 1.0},
        {"flatness": 1.0},
        {"ridge": 1.0},
        {"n_neighbors": 3},
        {"graph_width": 5.0},
        {"scale": False},
        {"floor": 0.1},
        {"tol": 0.1},
        {"max_iter": 1},
    ],
}


CASES = [(method, option) for method, listed in OPTIONS.items() for option in listed]


@pytest.mark.parametrize(("method", "options"), CASES)
def test_every_option_has_an_effect(table, method, options):
    X, L = table
    if method in (FCM, ML):
        X = X * [1, 5, 10]  # otherwise scaling changes little
    changed = method(**options).fit(X, L)
    plain = method().fit(X, L)
    if method is GLLE:  # the kernel matters for new rows only
        new = make_artificial(7, random_state=1)[0]
        difference = changed.transform(new) - plain.transform(new)
    else:
        difference = changed.label_distributions_ - plain.label_distributions_
    assert np.abs(difference).max() > (1e-6 if method is BDLE else 1e-4)
