"""Forked processes of the command, which start fast enough to be killed hundreds of times.

Run as a program, this module imports the libraries of the commands and then forks one process per
line of JSON on standard input. The process can be killed right before its n-th step in the file
system."""

import json
import os
import signal
import subprocess
import sys
from importlib import import_module

STEPS = {"open", "os.link", "os.rename", "os.remove", "os.mkdir"}
"""Audit events of Python before the steps."""


class ForkServer:
    """Runs commands in forked processes."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, folder, *arguments, at_step=None, signal=signal.SIGKILL):
        """Run the command, and send a signal before a step.

        Returns a dict: the exit code (negative after a signal), the output, and the number of
        steps."""
        order = {
            "folder": str(folder),
            "arguments": arguments,
            "at_step": at_step,
            "signal": int(signal),
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.communicate()


def _run_in_child(order, output):
    from labeldist.app.cli import main

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    folder = order["folder"]
    steps = 0
    os.chdir(folder)
    os.dup2(output, 1)
    os.dup2(output, 2)

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
        sys.argv[1:] = order["arguments"]
        main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        os.write(output, f"\n{steps}".encode())
        os._exit(code)


def _writes(details, folder):
    path, _, flags = details
    return (
        isinstance(path, str)
        and os.path.abspath(path).startswith(folder)
        and flags & (os.O_WRONLY | os.O_RDWR)
    )


def _main():
    for module in ("matplotlib.pyplot", "pyarrow.parquet", "rich.progress", "scipy.io", "skops.io"):
        import_module(module)
    for module in ("app.cli.app", "app.explorer", "learning", "models", "plots", "votes"):
        import_module(f"labeldist.{module}")
    for line in sys.stdin:
        output = os.memfd_create("output")
        pid = os.fork()
        if not pid:
            _run_in_child(json.loads(line), output)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        written = os.pread(output, 1_000_000, 0).decode()
        os.close(output)
        text, _, steps = written.rpartition("\n") if code >= 0 else ("", "", 0)
        print(json.dumps({"code": code, "output": text, "steps": int(steps)}), flush=True)


if __name__ == "__main__":
    _main()
