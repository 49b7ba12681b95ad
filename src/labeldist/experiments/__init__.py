"""Experiments: a spec gives raw records in a store, and these give tables, judgements and one report."""
