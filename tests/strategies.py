"""Hypothesis strategies for scores and distributions."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

finite = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def score_rows(draw, *, max_rows=6, max_labels=6):
    """Draw an array of real scores."""
    shape = draw(st.tuples(st.integers(1, max_rows), st.integers(1, max_labels)))
    return draw(hnp.arrays(np.float64, shape, elements=finite))


@st.composite
def distributions(draw, *, shape=None, max_rows=6, max_labels=6):
    """Draw rows on the simplex, including zeros, ties and corners."""
    if shape is None:
        shape = draw(st.tuples(st.integers(1, max_rows), st.integers(1, max_labels)))
    counts = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 20)))
    counts[~counts.any(axis=1), 0] = 1
    return counts / counts.sum(axis=1, keepdims=True)


@st.composite
def distribution_pairs(draw):
    """Draw two tables of distributions of the same shape."""
    first = draw(distributions())
    return first, draw(distributions(shape=first.shape))
