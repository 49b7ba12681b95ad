"""Calls of the command in this process, which is faster than starting one."""

import json

from typer.testing import CliRunner

from labeldist.app.cli.app import app


def run(*arguments, fails=False, **options):
    """Call the command, and return its result."""
    result = CliRunner().invoke(
        app, [str(argument) for argument in arguments], env={"COLUMNS": "200"}, **options
    )
    if not fails:
        assert result.exit_code == 0, result.output
    return result


def run_json(*arguments):
    """Call the command with --json, and return the facts that it prints."""
    return json.loads(run(*arguments, "--json").stdout)


def error_of(*arguments, code=1):
    """Call the command, which must fail with an exit code, and return its message in one line."""
    result = run(*arguments, fails=True)
    assert result.exit_code == code, result.output
    assert code == 2 or result.stderr.startswith("labeldist: ")
    assert result.stdout == ""
    return " ".join(result.stderr.replace("│", " ").split())
