"""Processes of the command that cost next to nothing to start, to be killed by the hundred.

Run as a program, this imports what commands need and then forks: each child is a process of its own that does what a
line of JSON on standard input says, and may be killed, at a moment or right before its n-th step in the file system.
"""

import json
import os
import signal
import subprocess
import sys
import time

STEPS = {"open", "os.link", "os.rename", "os.remove", "os.mkdir"}
"""Python's audit events, raised before each: a kill there is one between two steps."""


class Nursery:
    """Forks commands in a folder."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, folder, *arguments, at_step=None, after=None, signal=signal.SIGKILL):
        """Run the command; kill it before its n-th step, or so many seconds after its beginning.

        Returns a dict: the exit code, negative for a signal; its words; its steps; its seconds.
        """
        order = {
            "folder": str(folder),
            "arguments": [str(argument) for argument in arguments],
            "at_step": at_step,
            "after": after,
            "signal": int(signal),
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.communicate()


def _in_child(order, words):
    from labeldist.cli.app import app

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    folder, steps = order["folder"], 0
    os.chdir(folder)
    for stream in (1, 2):
        os.dup2(words, stream)

    def watch(event, details):
        nonlocal steps
        if event not in STEPS or (event == "open" and not _writes(details, folder)):
            return
        steps += 1
        if steps == order["at_step"]:
            os.kill(os.getpid(), order["signal"])

    sys.addaudithook(watch)
    code = 1
    try:
        app(order["arguments"], prog_name="labeldist")
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        os.write(words, f"\n{steps}".encode())
        os._exit(code)


def _writes(details, folder):
    path, _, flags = details
    return isinstance(path, str) and os.path.abspath(path).startswith(folder) and flags & (os.O_WRONLY | os.O_RDWR)


def _main():
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.io  # noqa: F401
    import skops.io  # noqa: F401

    import labeldist.cli.app
    import labeldist.explorer._page
    import labeldist.models
    import labeldist.plots  # noqa: F401
    from labeldist.cli.methods import ENHANCERS, LEARNERS  # noqa: F401

    for line in sys.stdin:
        order = json.loads(line)
        words = os.memfd_create("words")
        began = time.perf_counter()
        pid = os.fork()
        if not pid:
            _in_child(order, words)
        if order["after"] is not None:
            time.sleep(order["after"])
            os.kill(pid, order["signal"])  # not reaped yet, so the number is still its own
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        seconds = time.perf_counter() - began
        text, _, steps = os.pread(words, 1_000_000, 0).decode().rpartition("\n") if code >= 0 else ("", "", 0)
        os.close(words)
        print(json.dumps({"code": code, "words": text, "steps": int(steps), "seconds": seconds}), flush=True)


if __name__ == "__main__":
    _main()
