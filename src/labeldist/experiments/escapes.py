"""Text of any origin (names, reasons) made safe for Markdown and LaTeX."""

_MARKDOWN = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "\\`*#[]"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "|": "&#124;",  # a backslash would do in a table, but not in every reader
    }
)

_LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "_&%#{}$"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "±": r"$\pm$",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "–": "--",
    }
)


def markdown(text: str) -> str:
    """Return text as one line of Markdown that shows it as it is, in a table, too.

    Underscores stay: within a word, as in the names of sets, they mean nothing.
    """
    return _one_line(text).translate(_MARKDOWN)


def latex(text: str) -> str:
    """Return text as one line of LaTeX that shows it as it is."""
    return _one_line(text).translate(_LATEX)


def _one_line(text: str) -> str:
    return " ".join(text.split())
