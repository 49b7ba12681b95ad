"""Pure functions from arrays to one frozen result; no estimator in here."""

from labeldist.solvers.moments import Moments

__all__ = ["Moments"]
