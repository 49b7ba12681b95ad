"""Names of cases in failures of tests that loop over them."""

from contextlib import contextmanager


@contextmanager
def named(case):
    """Add the case to the failure of the block, for loops whose cases share costly work."""
    try:
        yield
    except BaseException as failure:  # a missing error is no Exception in pytest
        failure.add_note(f"The case is {case!r}.")
        raise
