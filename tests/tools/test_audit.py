"""Packages that were not looked up are not taken for safe ones."""

import sys

import pytest

from tools.audit import CLEAN, NOT_AUDITED, VULNERABLE, main, verdict

FINE = {"name": "numpy", "version": "2.4.6", "vulns": []}
SKIPPED = {"name": "scipy", "skip_reason": "Dependency not found on PyPI and could not be audited: scipy (1.17.1)"}
BAD = {
    "name": "jinja2",
    "version": "3.1.2",
    "vulns": [{"id": "PYSEC-2024-1", "fix_versions": ["3.1.3"], "aliases": []}],
}
UNMENDED = {"name": "six", "version": "1.0", "vulns": [{"id": "PYSEC-2024-2", "fix_versions": [], "aliases": []}]}


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([FINE], CLEAN, "Nothing is known against the 1 packages"),
        ([FINE, SKIPPED], NOT_AUDITED, "1 of 2 packages could not be looked up: scipy"),
        ([], NOT_AUDITED, "0 of 0"),
        ([FINE, BAD], VULNERABLE, "jinja2 3.1.2: PYSEC-2024-1, mended in ['3.1.3']"),
        ([UNMENDED], VULNERABLE, "mended in none yet"),
        ([BAD, SKIPPED], VULNERABLE, "1 of 2 packages could not be looked up: scipy"),
    ],
)
def test_the_verdict_tells_clean_from_not_looked_up(packages, code, said):
    found, lines = verdict({"dependencies": packages, "fixes": []})
    assert found == code
    assert said in "\n".join(lines)


def test_without_an_answer_it_says_so_with_a_code_of_its_own(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == NOT_AUDITED
    assert "pip-audit could not ask" in capsys.readouterr().out
