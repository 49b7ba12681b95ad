"""Data frames of every make that the library takes."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

MAKES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
"""What makes a frame of a dictionary of columns."""

any_make = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)


def frame(make, array, names):
    return make({name: array[:, k] for k, name in enumerate(names)})
