"""Every reader, given anything: an error of ours at most, in bounded time and memory, and nothing run or written.

Bytes of Hypothesis, and valid files that are spoiled in a few places, packed again so that the readers get far. The
quick part tries the same examples every time; the long one, behind the marker ``soak``, other ones each time.
"""

import resource
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trust.guard import outcome
from tests.trust.mutations import spoiled
from tests.trust.readers import READERS

SLOW = {"store": 4, "model": 4, "votes command": 8}
"""A reader that takes longer than others tries so many times fewer examples."""

QUICK, LONG = 300, 20_000
CHECKS = {"suppress_health_check": list(HealthCheck), "deadline": None, "database": None}


@pytest.mark.parametrize("name", READERS)
def test_what_is_sound_is_read_or_refused_by_name(tmp_path, name):
    """The files that the others are made of; afterwards no module is left to be imported while somebody watches."""
    reader = READERS[name]
    path = tmp_path / f"{reader.stem}{reader.suffix}"
    for content, packing in reader.seeds:
        path.write_bytes(packing.whole(packing.parts(content)))
        outcome(reader.read, path)


def examples_of(reader, path, count, **options):
    """Try so many examples, three of four of them spoiled files; return how often what came of them."""
    outcomes = Counter()

    def try_one(content):
        path.write_bytes(content)
        outcomes[outcome(reader.read, path)] += 1

    for strategy, share in ((st.binary(max_size=300), count // 4), (spoiled(reader.seeds), count - count // 4)):
        settings(max_examples=share, **CHECKS, **options)(given(strategy)(try_one))()
    return outcomes


@pytest.mark.parametrize("name", READERS)
def test_spoiled_files_are_read_or_refused(tmp_path, name):
    reader = READERS[name]
    path = tmp_path / f"{reader.stem}{reader.suffix}"
    outcomes = examples_of(reader, path, QUICK // SLOW.get(name, 1), derandomize=True)
    assert sum(outcomes.values()) >= QUICK // SLOW.get(name, 1) // 2
    assert {one.name for one in tmp_path.iterdir()} <= {path.name, "out.csv"}  # the command's table, and nothing else


@pytest.mark.soak
@pytest.mark.parametrize("name", READERS)
def test_many_more_spoiled_files_are_read_or_refused(tmp_path, name):
    reader = READERS[name]
    path = tmp_path / f"{reader.stem}{reader.suffix}"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes = examples_of(reader, path, LONG // SLOW.get(name, 1), derandomize=False)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(f"\n{name}: {sum(outcomes.values()):,} examples, {dict(outcomes)}, {grown} MB more memory")
    assert grown < 1024
