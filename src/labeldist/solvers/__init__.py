"""Pure functions from arrays to one frozen result; no estimator in here."""
