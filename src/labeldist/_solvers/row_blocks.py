"""Blocks of rows whose kernel values fit in memory."""

from collections.abc import Iterator

BLOCK_ENTRIES = 1_000_000  # kernel values in memory at a time
SMALLEST_BLOCK = 64


def row_blocks(n: int, columns: int, *, shortest: int = SMALLEST_BLOCK) -> Iterator[slice]:
    """Yield slices of n rows whose blocks have about `BLOCK_ENTRIES` entries."""
    length = max(shortest, BLOCK_ENTRIES // max(columns, 1))
    return (slice(start, min(start + length, n)) for start in range(0, n, length))
