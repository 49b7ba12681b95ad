import pytest

from labeldist.exceptions import LabelDistError
from tests.trust.attacks import MEGABYTE
from tests.trust.guard import at_most, watched, within


@pytest.fixture
def refuses(tmp_path):
    """Let a reader refuse a file: with an error of ours, in seconds, in 256 MB, and without doing anything else."""

    def refuses(read, name, content, message, *, seconds=20, room=256 * MEGABYTE):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with watched(tmp_path), pytest.raises(LabelDistError, match=message), at_most(seconds), within(room):
            read(path)

    return refuses
