"""Data sets and votes by name, tables in files, synthetic data and logical labels."""

# scikit-learn and pandas are imported inside the functions that need them: loading them takes more
# than a second.
from labeldist.app.tables.column_selection import LabelledTable, read_labelled
from labeldist.app.tables.tables import read_table, write_table
from labeldist.datasets._load import list_datasets, load_dataset, load_logical_digits
from labeldist.datasets._load_votes import VoteData, load_votes
from labeldist.datasets._stream import TableStream, write_parquet
from labeldist.datasets._synthetic import binarize, make_artificial

__all__ = [
    "LabelledTable",
    "TableStream",
    "VoteData",
    "binarize",
    "list_datasets",
    "load_dataset",
    "load_logical_digits",
    "load_votes",
    "make_artificial",
    "read_labelled",
    "read_table",
    "write_parquet",
    "write_table",
]
