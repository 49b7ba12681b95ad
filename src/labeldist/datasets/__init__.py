"""Data in: the thirteen benchmark sets, files of one's own, an artificial set, logical labels, votes."""

# scikit-learn is imported inside the functions that need it: it loads pandas where that is installed, which
# takes a second and more, and naming, finding and reading a set needs neither.
from labeldist._tables.columns import LabelledTable, read_labelled
from labeldist._tables.stream import TableStream, write_parquet
from labeldist._tables.tables import read_mat, read_table, write_table
from labeldist.datasets._digits import load_logical_digits
from labeldist.datasets._load import list_datasets, load_dataset
from labeldist.datasets._logical import binarize
from labeldist.datasets._synthetic import make_artificial, make_artificial_grid

__all__ = [
    "LabelledTable",
    "TableStream",
    "binarize",
    "list_datasets",
    "load_dataset",
    "load_logical_digits",
    "make_artificial",
    "make_artificial_grid",
    "read_labelled",
    "read_mat",
    "read_table",
    "write_parquet",
    "write_table",
]
