"""Comparison of methods on data sets: resumable runs, significance tests and tables."""

from labeldist.comparison._compare import compare, compare_enhancers
from labeldist.comparison._comparison import Comparison, Record
from labeldist.comparison._significance import signed_rank_test
from labeldist.comparison._store import Store
from labeldist.metrics import PAPER_MEASURES

__all__ = [
    "PAPER_MEASURES",
    "Comparison",
    "Record",
    "Store",
    "compare",
    "compare_enhancers",
    "signed_rank_test",
]
