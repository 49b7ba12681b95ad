"""The command as a user has it: a process with arguments, outputs and an exit code."""

import os
import signal
import subprocess
import sys
import time
from functools import partial


def labeldist(*arguments, **options):
    """Run the command to its end."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(_command(arguments), text=True, timeout=300, **options)


def interrupt(*arguments, when, **options):
    """Start the command, press ^C half a second after `when(pid)` is true, and return the process with its words."""
    # A shell starts what is in the background with interrupts ignored, and so are then those of its children.
    restore = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(
        _command(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore,
        **options,
    )
    while not when(process.pid):
        time.sleep(0.05)
        assert process.poll() is None, process.communicate()
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    out, complaint = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, complaint)


def _command(arguments):
    return [sys.executable, "-m", "labeldist", *map(str, arguments)]
