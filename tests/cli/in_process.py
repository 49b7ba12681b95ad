"""The command called in this process, which takes no second to start."""

import json

from typer.testing import CliRunner

from labeldist.cli.app import app


def run(*arguments, fails=False, **options):
    """Call the command; return what it came to."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
    if not fails:
        assert result.exit_code == 0, result.output
    return result


def run_json(*arguments):
    """Call the command with --json; return what it says."""
    return json.loads(run(*arguments, "--json").stdout)
