"""Votes of annotators: label distributions by counting, and the Dawid-Skene model."""

from labeldist.votes._dawid_skene import DawidSkeneResult, dawid_skene
from labeldist.votes._from_votes import VoteDistributions, from_votes

__all__ = ["DawidSkeneResult", "VoteDistributions", "dawid_skene", "from_votes"]
