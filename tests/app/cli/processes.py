"""The command as a process."""

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
    """Start the command, send SIGINT after `when(pid)` is true, and return the process."""
    # A shell starts background processes with SIGINT ignored, and children inherit this.
    restore = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(_command(arguments), preexec_fn=restore, **pipes, **options)
    while not when(process.pid):
        time.sleep(0.05)
        assert process.poll() is None, process.communicate()
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _command(arguments):
    return [sys.executable, "-m", "labeldist", *arguments]
