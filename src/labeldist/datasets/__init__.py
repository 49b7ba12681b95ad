"""Data in: the thirteen benchmark sets, files of one's own, an artificial set, logical labels, votes."""

# scikit-learn is imported inside the functions that need it: it loads pandas where that is installed, which
# takes a second and more, and naming, finding and reading a set needs neither.
from labeldist.datasets.columns import LabelledTable, read_labelled
from labeldist.datasets.digits import load_logical_digits
from labeldist.datasets.load import list_datasets, load_dataset
from labeldist.datasets.logical import binarize
from labeldist.datasets.readers import read_mat
from labeldist.datasets.stream import TableStream, write_parquet
from labeldist.datasets.synthetic import make_artificial, make_artificial_grid
from labeldist.datasets.tables import read_table, write_table
from labeldist.datasets.votes import VoteDistributions, from_votes

__all__ = [
    "LabelledTable",
    "TableStream",
    "VoteDistributions",
    "binarize",
    "from_votes",
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
