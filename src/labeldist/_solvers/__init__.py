"""Solvers: functions that take arrays and return frozen results."""
