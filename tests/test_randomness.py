import numpy as np
from numpy.testing import assert_array_equal

from labeldist._validation import random_generator


def test_a_seed_is_a_seed_and_a_generator_itself():
    assert_array_equal(random_generator(3).random_sample(5), np.random.RandomState(3).random_sample(5))
    generator = np.random.RandomState(0)
    assert random_generator(generator) is generator


def test_without_a_seed_numbers_are_new_each_time_and_numpys_own_are_left_alone():
    np.random.seed(0)  # noqa: NPY002  # the state that must not be touched
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one = random_generator(None).random_sample(5)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    assert not np.array_equal(random_generator(None).random_sample(5), one)
