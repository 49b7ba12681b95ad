"""Watch what a reader does: how it ends, how long it takes, and that it runs nothing and writes nowhere else."""

import os
import resource
import signal
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

from labeldist.exceptions import LabelDistError

SECONDS = 20
"""A reader of a file of some kilobytes that takes longer hangs; most take milliseconds, but machines are shared."""

ROOM = 3 * 2**30
"""So many bytes of addresses a reader may ask for beside what the process has."""

RUNS_SOMETHING = {
    *("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "subprocess.Popen", "pty.spawn"),
    *("pickle.find_class", "socket.connect", "socket.getaddrinfo", "urllib.Request"),
}
CHANGES_FILES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_watched: list[Path] = []
"""The folder of the reader that is at work; hooks stay for as long as the process lives, so they ask here."""

_trespasses: list[str] = []


def _hook(event, arguments):
    if not _watched:
        return
    if event in RUNS_SOMETHING:
        _trespasses.append(f"{event} {arguments!r:.200}")
    elif event in CHANGES_FILES or (event == "open" and arguments[2] & WRITES):
        path = Path(os.fsdecode(arguments[0])) if isinstance(arguments[0], str | bytes | os.PathLike) else None
        if path is None or _watched[0] not in (path.absolute(), *path.absolute().parents):
            _trespasses.append(f"{event} {arguments!r:.200}")


sys.addaudithook(_hook)


class HangsError(BaseException):
    """Passes through a reader's own ``except Exception``."""


@contextmanager
def at_most(seconds):
    """Interrupt what takes longer."""

    def ring(_signal, _frame):
        raise HangsError(f"longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def within(room):
    """Refuse this process more memory than that beside what it has; the limit before it returns with the end."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def watched(folder):
    """Let nothing be run in the block, and nothing be written but in this folder."""
    _trespasses.clear()
    _watched[:] = [Path(folder).absolute()]
    try:
        yield
    finally:
        _watched.clear()
    assert not _trespasses, _trespasses


def outcome(read, path):
    """Read a file; return what came of it, "read" or the name of an error of ours, and let nothing else pass."""
    try:
        with watched(path.parent), at_most(SECONDS), within(ROOM), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a doubtful file one may be warned
            read(path)
    except LabelDistError as error:
        return type(error).__name__
    return "read"
