"""Registry of the thirteen benchmark sets of the label distribution literature: sizes, checksums and sources."""

from dataclasses import dataclass

# Public folders with the same files, in order of preference, each pinned to a commit.
SOURCES: tuple[str, ...] = (
    "https://raw.githubusercontent.com/palm-ml/GLLE/bfc0287bec235b8b83748074bfee7582bf48689b/LDL_DataSets/",
    "https://raw.githubusercontent.com/SpriteMisaka/PyLDL/082937638e075b35d349a2e69e36219d52512dc8/datasets/",
)


@dataclass(frozen=True)
class DatasetInfo:
    """Size, checksum, description and references (one per line) of a benchmark set."""

    name: str
    n_samples: int
    n_features: int
    n_labels: int
    sha256: str
    description: str
    citation: str
    git_blob: str | None = None  # Git object id of a second version of the file, with the same arrays.

    @property
    def filename(self) -> str:
        """Name of the file, on disk and in every source."""
        return f"{self.name}.mat"


_COLLECTION = "X. Geng. Label distribution learning. IEEE Trans. Knowledge and Data Engineering 28(7), 1734-1748, 2016."
_EISEN = (
    "M. B. Eisen, P. T. Spellman, P. O. Brown, D. Botstein. Cluster analysis and display of genome-wide "
    "expression patterns. Proceedings of the National Academy of Sciences 95(25), 14863-14868, 1998."
)


def _yeast(experiment: str, title: str, n_labels: int, sha256: str) -> DatasetInfo:
    """Return the entry of one of the ten experiments on the same 2465 genes."""
    description = (
        f"Budding yeast, {title}. A row is a gene, described by its phylogenetic profile; a label is a point in time, "
        "its degree the share of the gene's expression at that time. All ten Yeast sets have the same features."
    )
    return DatasetInfo(f"Yeast_{experiment}", 2465, 24, n_labels, sha256, description, f"{_EISEN}\n{_COLLECTION}")


_ROWS = (
    _yeast("alpha", "alpha factor arrest", 18, "8b7f7788371326776299407785a5520cd05b194f57cf3babdeb21fe3d4281167"),
    _yeast("cdc", "cdc15 arrest", 15, "c59015213b54a93d1142c2dda0cf4907b5672d25d3343abc8b34f1cf8ce7ccc9"),
    _yeast("cold", "cold shock", 4, "7b1f599ec4791052f9549c62cc6c8677af3e982a9f4bddb298c2bb2694811f21"),
    _yeast("diau", "diauxic shift", 7, "adb77a20d5d84ea0e28bfa5c99ba094e9ba950b0d0e65bfb24551badfb8ce1ac"),
    _yeast("dtt", "dithiothreitol shock", 4, "26ecc88e892f5964140ff144d372d15c83112f10e781c8ed497458b9286e1f1a"),
    _yeast("elu", "elutriation", 14, "d78808326a3e80ada817e1fb77308a4561a23176843a216f458e77e0e2a8937f"),
    _yeast("heat", "heat shock", 6, "6d55eccc10c97969542c5acc58194e34fe046557f876fc1ae3cd3f7a46159c94"),
    _yeast("spo", "sporulation", 6, "5a0bf3c55f268b24ff8b846a135befe2bc25ed085a46fc1c4b7f4c1f4c8ff16f"),
    _yeast("spo5", "sporulation (spo5)", 3, "24e55ad6a9e68fcf80880e526c617ef44bd496022b99e49e397356e6b5e520ad"),
    _yeast("spoem", "sporulation (spoem)", 2, "925259095ffe88269661e39fdeea39e558954356817b0480d777a98bbc917ca1"),
    DatasetInfo(
        name="Natural_Scene",
        n_samples=2000,
        n_features=294,
        n_labels=9,
        sha256="8951bf3240d9036786d502a6ac641421a71e4dc9983442c556962aabcf5b5553",
        git_blob="dbcd075e2ca9f6627cfe026a276181646f4d0527",
        description=(
            "A row is a photograph of a natural scene, a label is an object or feature of the scene; the degrees are "
            "those that fit best the inconsistent rankings of ten people."
        ),
        citation=(
            "X. Geng, L. Luo. Multilabel ranking with inconsistent rankers. IEEE Conference on Computer "
            f"Vision and Pattern Recognition, 2014.\n{_COLLECTION}"
        ),
    ),
    DatasetInfo(
        name="Movie",
        n_samples=7755,
        n_features=1869,
        n_labels=5,
        sha256="5c8629905fdf18640410d43b30f1a84c17473df38e48f279f5a2af11019a1bac",
        description=(
            "A row is a movie, described by facts known before its release (genre, people, country, budget), nearly "
            "all 0 or 1; the degrees are the shares of its ratings with one to five stars."
        ),
        citation=(
            "X. Geng, P. Hou. Pre-release prediction of crowd opinion on movies by label distribution "
            f"learning. International Joint Conference on Artificial Intelligence, 2015.\n{_COLLECTION}"
        ),
    ),
    DatasetInfo(
        name="SBU_3DFE",
        n_samples=2500,
        n_features=243,
        n_labels=6,
        sha256="59dec80525aaa859b8400a92e5b94e54b405ce6ed60bfad9ec95e58964e84707",
        description=(
            "A row is a picture of a face, described by local binary patterns of small variance; a label is a basic "
            "emotion, its degree the share of the scores by 23 people."
        ),
        citation=(
            "L. Yin, X. Wei, Y. Sun, J. Wang, M. J. Rosato. A 3D facial expression database for facial "
            "behavior research. International Conference on Automatic Face and Gesture Recognition, 2006.\n"
            "Y. Zhou, H. Xue, X. Geng. Emotion distribution recognition from facial expressions. ACM "
            f"International Conference on Multimedia, 1247-1250, 2015.\n{_COLLECTION}"
        ),
    ),
)

REGISTRY: dict[str, DatasetInfo] = {info.name: info for info in _ROWS}
"""All sets by name, in the order of the literature's tables."""
