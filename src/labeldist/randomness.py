"""Where random numbers come from: never from the state that all of NumPy shares."""

from typing import Any

import numpy as np


def random_generator(random_state: Any) -> np.random.RandomState:
    """Return the generator that `random_state` stands for: a seed, a generator, or None for one that nobody knows.

    For None scikit-learn's ``check_random_state`` hands out NumPy's global generator. Drawing from it would change what
    others draw, and others would change what is drawn here.
    """
    from sklearn.utils import check_random_state  # a second that who draws nothing can save

    return np.random.RandomState() if random_state is None else check_random_state(random_state)
