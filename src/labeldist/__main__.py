"""``python -m labeldist`` is the command ``labeldist``."""

from labeldist.cli import main

main()
