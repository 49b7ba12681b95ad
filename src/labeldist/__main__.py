"""``python -m labeldist`` is the command ``labeldist``."""

from labeldist.app.cli import main

main()
