"""Solvers: pure functions from arrays to one frozen result, without estimators."""
