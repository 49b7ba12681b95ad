"""Votes of annotators: label distributions by counting, agreement, the noise ceiling, and the Dawid-Skene model."""

from labeldist.votes._agreement import Agreement, agreement
from labeldist.votes._from_votes import DawidSkeneResult, VoteDistributions, dawid_skene, from_votes
from labeldist.votes._noise_ceiling import noise_ceiling

__all__ = ["Agreement", "DawidSkeneResult", "VoteDistributions", "agreement"]
__all__ += ["dawid_skene", "from_votes", "noise_ceiling"]
