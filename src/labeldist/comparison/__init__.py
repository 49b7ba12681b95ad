"""Comparison of methods on data sets: resumable runs, significance tests and tables."""

from labeldist.comparison._compare import compare, compare_enhancers
from labeldist.comparison._comparison import Comparison, Record
from labeldist.comparison._runs import Result, Store, run_tasks
from labeldist.comparison._significance import (
    PairedTest,
    corrected_t_test,
    holm,
    signed_rank_test,
)
from labeldist.metrics import PAPER_MEASURES

__all__ = [
    "PAPER_MEASURES",
    "Comparison",
    "PairedTest",
    "Record",
    "Result",
    "Store",
    "compare",
    "compare_enhancers",
    "corrected_t_test",
    "holm",
    "run_tasks",
    "signed_rank_test",
]
