"""Votes of annotators: count them, weight annotators, turn them into label distributions."""

from labeldist.votes._from_votes import VoteDistributions, from_votes

__all__ = ["VoteDistributions", "from_votes"]
