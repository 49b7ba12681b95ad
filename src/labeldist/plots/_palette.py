"""The colours of every picture of this library, chosen for all eyes; nothing here needs a drawing library.

Labels have Okabe and Ito's colours, and where these run out the same colours again with a hatch or another marker.
Heat maps are viridis where values run from worse to better, and blue to red where they have a sign.
"""

OKABE_ITO = ("#d55e00", "#0072b2", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#f0e442")
"""Vermilion, blue, green, orange, sky blue, purple and yellow; the eighth, black, is left to the reference."""

VIRIDIS = ("#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")

DIVERGING = "RdBu_r"
"""Matplotlib's name for blue, white and red: for values below, at and above 0."""

GREY = "#999999"
"""What has no colour of its own: small labels taken together, counts, cells without a value."""

DARK_GREY = "#555555"
"""Text that stands back."""

REFERENCE = "#000000"
"""What the rest is compared with: diagonals and baselines."""

HATCHES = ("", "////", "....")
MARKERS = ("o", "s", "^")
"""How labels of the same colour are told apart: the first seven, the next and the last."""

MOST_STYLES = len(OKABE_ITO) * len(HATCHES)
"""So many labels can be told apart."""


def viridis(share: float) -> str:
    """Return the colour at `share` of the way from dark (0) to bright (1)."""
    place = min(max(share, 0.0), 1.0) * (len(VIRIDIS) - 1)
    lower = min(int(place), len(VIRIDIS) - 2)
    pairs = zip(_rgb(VIRIDIS[lower]), _rgb(VIRIDIS[lower + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - lower)):02x}" for a, b in pairs)


def luminance(colour: str) -> float:
    """Return the relative luminance that WCAG defines, from 0 (black) to 1 (white)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _rgb(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast on `colour`."""
    shine = luminance(colour)
    return "#000000" if (shine + 0.05) / 0.05 > 1.05 / (shine + 0.05) else "#ffffff"


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
