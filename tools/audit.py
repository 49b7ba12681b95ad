"""Look for known vulnerabilities in the pinned versions: ``python -m tools.audit``, or ``make audit``.

pip-audit asks PyPI. Where that does not answer, pip-audit leaves packages out and still ends well, so its report is
read here. Exit codes: 0, every package was looked up and nothing is known; 1, something is known; 3, not every package
could be looked up.
"""

import json
import subprocess
import sys
from typing import Any

from tools.pyproject import ROOT

CLEAN, VULNERABLE, NOT_AUDITED = 0, 1, 3


def verdict(report: dict[str, Any]) -> tuple[int, list[str]]:
    """Return the exit code for a report of pip-audit, and the lines that say why."""
    packages = report["dependencies"]
    known = [package for package in packages if package.get("vulns")]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    lines = [
        f"{package['name']} {package['version']}: {found['id']}, mended in {found['fix_versions'] or 'none yet'}"
        for package in known
        for found in package["vulns"]
    ]
    if skipped or not packages:
        lines.append(f"{len(skipped)} of {len(packages)} packages could not be looked up: {', '.join(skipped)}")
    if known:
        return VULNERABLE, lines
    if skipped or not packages:
        return NOT_AUDITED, lines
    return CLEAN, [f"Nothing is known against the {len(packages)} packages in constraints.txt."]


def main() -> None:
    """Run pip-audit, and say what it found or that it could not look."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(ROOT / "constraints.txt"), "--no-deps"]
    command += ["--disable-pip", "--format", "json", "--progress-spinner", "off"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own arguments
    try:
        code, lines = verdict(json.loads(process.stdout))
    except ValueError:  # it ended before it had a report
        code, lines = NOT_AUDITED, [f"pip-audit could not ask: {process.stderr.strip()[-500:]}"]
    print("\n".join(lines))
    sys.exit(code)


if __name__ == "__main__":
    main()
