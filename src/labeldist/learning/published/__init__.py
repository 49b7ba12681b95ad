"""Learners of other papers, one module per method; import them from `labeldist.learning`."""
