"""Votes of annotators: label distributions by counting, and the Dawid-Skene model."""

from labeldist.votes._from_votes import DawidSkeneResult, VoteDistributions, dawid_skene, from_votes

__all__ = ["DawidSkeneResult", "VoteDistributions", "dawid_skene", "from_votes"]
