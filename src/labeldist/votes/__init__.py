"""Votes of annotators: label distributions, agreement, noise ceiling, and the Dawid-Skene model."""

from labeldist.votes._agreement import Agreement, agreement
from labeldist.votes._annotators import Annotators, annotators
from labeldist.votes._dawid_skene import DawidSkeneResult, dawid_skene
from labeldist.votes._expected_error import ExpectedError, expected_error
from labeldist.votes._from_votes import from_votes
from labeldist.votes._group_agreement import GroupAgreement
from labeldist.votes._noise_ceiling import noise_ceiling
from labeldist.votes._vote_distributions import VoteDistributions

__all__ = [
    "Agreement",
    "Annotators",
    "DawidSkeneResult",
    "ExpectedError",
    "GroupAgreement",
    "VoteDistributions",
    "agreement",
    "annotators",
    "dawid_skene",
    "expected_error",
    "from_votes",
    "noise_ceiling",
]
