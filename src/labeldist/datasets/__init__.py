"""Data sets and votes by name, streams of tables, synthetic data and logical labels."""

# scikit-learn and pandas are imported inside the functions that need them: loading them takes more
# than a second.
from labeldist.datasets._load import load_dataset
from labeldist.datasets._load_votes import VoteData, load_votes
from labeldist.datasets._registry import DatasetInfo, list_datasets
from labeldist.datasets._synthetic import binarize, make_artificial
from labeldist.datasets._table_stream import TableStream

__all__ = [
    "DatasetInfo",
    "TableStream",
    "VoteData",
    "binarize",
    "list_datasets",
    "load_dataset",
    "load_votes",
    "make_artificial",
]
