"""Registry of the benchmark sets, of additional sets and of sets of votes: sizes, checksums, sources and terms."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["benchmark", "additional", "votes"]

_GITHUB = "https://raw.githubusercontent.com/"
_PYLDL = f"{_GITHUB}SpriteMisaka/PyLDL/082937638e075b35d349a2e69e36219d52512dc8/datasets/"

# Public folders with the files of the benchmark sets, in order of preference, each pinned to a commit.
SOURCES: tuple[str, ...] = (f"{_GITHUB}palm-ml/GLLE/bfc0287bec235b8b83748074bfee7582bf48689b/LDL_DataSets/", _PYLDL)


@dataclass(frozen=True)
class DatasetInfo:
    """Size, checksum, description and references (one per line) of a set, which is one published file."""

    name: str
    n_samples: int | None  # None: not published.
    n_features: int
    n_labels: int
    sha256: str
    description: str
    citation: str
    git_blob: str | None = None  # Git object id of a second version of the file, with the same arrays.
    kind: Kind = "benchmark"
    url: str = ""  # Address of the file; empty: the file is in each of SOURCES.
    terms: str = ""
    label_names: tuple[str, ...] = ()  # Labels of votes, in the order of the file or of their meaning.

    @property
    def filename(self) -> str:
        """Name of the file, on disk and in every source."""
        return self.url.rpartition("/")[2] or f"{self.name}.mat"


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
        *("Natural_Scene", 2000, 294, 9, "8951bf3240d9036786d502a6ac641421a71e4dc9983442c556962aabcf5b5553"),
        "A row is a photograph of a natural scene, a label is an object or feature of the scene; the degrees are those "
        "that fit best the inconsistent rankings of ten people.",
        "X. Geng, L. Luo. Multilabel ranking with inconsistent rankers. IEEE Conference on Computer Vision and Pattern "
        f"Recognition, 2014.\n{_COLLECTION}",
        git_blob="dbcd075e2ca9f6627cfe026a276181646f4d0527",
    ),
    DatasetInfo(
        *("Movie", 7755, 1869, 5, "5c8629905fdf18640410d43b30f1a84c17473df38e48f279f5a2af11019a1bac"),
        "A row is a movie, described by facts known before its release (genre, people, country, budget), nearly all 0 "
        "or 1; the degrees are the shares of its ratings with one to five stars.",
        "X. Geng, P. Hou. Pre-release prediction of crowd opinion on movies by label distribution learning. "
        f"International Joint Conference on Artificial Intelligence, 2015.\n{_COLLECTION}",
    ),
    DatasetInfo(
        *("SBU_3DFE", 2500, 243, 6, "59dec80525aaa859b8400a92e5b94e54b405ce6ed60bfad9ec95e58964e84707"),
        "A row is a picture of a face, described by local binary patterns of small variance; a label is a basic "
        "emotion, its degree the share of the scores by 23 people.",
        "L. Yin, X. Wei, Y. Sun, J. Wang, M. J. Rosato. A 3D facial expression database for facial behavior research. "
        "International Conference on Automatic Face and Gesture Recognition, 2006.\n"
        "Y. Zhou, H. Xue, X. Geng. Emotion distribution recognition from facial expressions. ACM International "
        f"Conference on Multimedia, 1247-1250, 2015.\n{_COLLECTION}",
    ),
)


def _additional(
    name: str, size: tuple[int, int, int], sha256: str, description: str, citation: str = ""
) -> DatasetInfo:
    """Return the entry of a set that is only in the second source."""
    return DatasetInfo(
        *(name, *size, sha256, description, f"{citation}\n{_TOOLKIT}".strip()),
        kind="additional",
        url=f"{_PYLDL}{name}.mat",
        terms="The source, PyLDL, has the MIT licence. It does not state the terms of the data.",
    )


_TOOLKIT = "PyLDL, a toolkit for label distribution learning. https://github.com/SpriteMisaka/PyLDL"
_BEAUTY = "Y. Ren, X. Geng. Sense beauty by label distribution learning. IJCAI, 2648-2654, 2017."
_ADDITIONAL = (
    _additional(
        *("SJAFFE", (213, 243, 6), "bdd53fb033a275b39b8fd873809cd69f3cee13234f5aa472aea0f5ad73b8a04b"),
        "A row is a picture of a face; a label is a basic emotion, its degree the share of the scores by 60 people.",
        "M. Lyons, S. Akamatsu, M. Kamachi, J. Gyoba. Coding facial expressions with Gabor wavelets. International "
        "Conference on Automatic Face and Gesture Recognition, 200-205, 1998.\n" + _COLLECTION,
    ),
    _additional(
        *("emotion6", (1980, 168, 7), "2cc3b82d142b5eb27509105540390a8a7de2d6780b898d8e69c29a12a2e409a5"),
        "A row is a photograph; a label is an emotion that it evokes: the six basic emotions and neutral.",
        "K.-C. Peng, T. Chen, A. Sadovnik, A. C. Gallagher. A mixed bag of emotions: model, predict, and transfer "
        "emotion distributions. IEEE Conference on Computer Vision and Pattern Recognition, 860-868, 2015.",
    ),
    _additional(
        *("M2B", (1240, 250, 5), "75d4fe5340eb120a9ce29eed9174711c8a5f093d9ae3b410bcbff9865e5868f6"),
        "A row is a picture of a person; the five labels are ordered grades of beauty.",
        "T. V. Nguyen, S. Liu, B. Ni, J. Tan, Y. Rui, S. Yan. Sense beauty via face, dressing, and/or voice. ACM "
        "International Conference on Multimedia, 239-248, 2012.\n" + _BEAUTY,
    ),
    _additional(
        *("SCUT_FBP", (1500, 300, 5), "2851c11a0b98ad84483784230b597eca81108583b60ed3cc8674816ab48c03de"),
        "A row is a picture of a face; the five labels are ordered grades of beauty.",
        "D. Xie, L. Liang, L. Jin, J. Xu, M. Li. SCUT-FBP: a benchmark dataset for facial beauty perception. IEEE "
        "International Conference on Systems, Man, and Cybernetics, 1821-1826, 2015.\n" + _BEAUTY,
    ),
    _additional(
        *("Music", (360, 128, 9), "0de6c00768d30a3be522c59543ec4210efab6b1fa65f7973917d97075413c990"),
        "A row is a piece of music. The source does not describe the features and labels.",
    ),
    _additional(
        *("Painting", (280, 142, 8), "22404e67262707f34005047dfc80aa9763472328f87fff9c2430d972d1c5b796"),
        "A row is a painting. The source does not describe the features and labels.",
    ),
    _additional(
        *("FG-Net", (1002, 251, 70), "9b016b9304a2f75a1fa9b41b455dca8c07d779d2580dbb1d4f25f33ff8bf5c33"),
        "A row is a picture of a face; the labels are ages in ascending order. The published rows of labels do not sum "
        "to one (up to 0.43 off); they are divided by their sums.",
        "X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label distributions. IEEE Trans. Pattern "
        "Analysis and Machine Intelligence 35(10), 2401-2412, 2013.",
    ),
)


def _votes(
    name: str, n_samples: int | None, labels: str, sha256: str, url: str, terms: str, description: str, citation: str
) -> DatasetInfo:
    """Return the entry of a set of votes; `labels` are separated by spaces."""
    names = tuple(labels.split())
    sizes = (n_samples, 0, len(names))
    about = {"kind": "votes", "url": _GITHUB + url, "terms": terms, "label_names": names}
    return DatasetInfo(name, *sizes, sha256, description, citation, **about)  # type: ignore[arg-type]


def _chaos_nli(part: str, file: str, n_samples: int, labels: str, sha256: str, vote: str) -> DatasetInfo:
    """Return the entry of a part of ChaosNLI."""
    return _votes(
        *(f"ChaosNLI_{part}", n_samples, labels, sha256, f"{_CHAOS}/data/chaosNLI_v1.0/chaosNLI_{file}.jsonl"),
        "CC BY-NC 4.0: not for commercial use.",
        f"Natural language inference with 100 votes per item. {vote}",
        "Y. Nie, X. Zhou, M. Bansal. What can we learn from collective human opinions on natural language inference "
        "data? Conference on Empirical Methods in Natural Language Processing, 2020.",
    )


def _lewidi(
    name: str, labels: str, description: str, citation: str, files: dict[str, tuple[int | None, str]]
) -> list[DatasetInfo]:
    """Return the entries of the train, dev and test parts of a set of LeWiDi 2023."""
    return [
        _votes(
            *(f"{name}_{part}", n_samples, labels, sha256, f"{_LEWIDI}/{name}_dataset/{name}_{part}.json"),
            "Terms of the LeWiDi 2023 shared task, https://le-wi-di.github.io; the source has no licence.",
            f"{description} The {part} part of the LeWiDi 2023 shared task.",
            f"{citation}\nE. Leonardelli et al. SemEval-2023 Task 11: learning with disagreements (LeWiDi). "
            "International Workshop on Semantic Evaluation, 2023.",
        )
        for part, (n_samples, sha256) in files.items()
    ]


_CHAOS = "jsbaan/calibration-on-disagreement-data/990e81cacadac5d0268160d1c02bad19d4ddb9a3"
_LEWIDI = "Le-Wi-Di/le-wi-di.github.io/45d7b06e4c36b59472d6bdf9281f7f1e395eb0e0/LeWiDi_2-2023"
_ENTAILMENT = "A vote is e (entailment), n (neutral) or c (contradiction)."
_VOTES = (
    _chaos_nli(
        *("SNLI", "snli", 1514, "e n c", "99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1"),
        _ENTAILMENT,
    ),
    _chaos_nli(
        *("MNLI", "mnli_m", 1599, "e n c", "8eb49b589488e7b1a9ec95fb8a864bd50f0509b4f808eed0aed3f8167617664d"),
        _ENTAILMENT,
    ),
    _chaos_nli(
        *("alphaNLI", "alphanli", 1532, "1 2", "f55817ecc11a02ba3030cd7d2c567d23843456809020723abad53f4fde024c9e"),
        "A vote names the hypothesis (1 or 2) that explains the observations better.",
    ),
    *_lewidi(
        *("HS-Brexit", "0 1"),
        "Tweets on Brexit, each judged by the same six annotators: 1 is hate speech.",
        "S. Akhtar, V. Basile, V. Patti. Whose opinions matter? Perspective-aware models to identify opinions of hate "
        "speech victims in abusive language detection. arXiv:2106.15896, 2021.",
        {
            "train": (784, "d204d83c7b1a73f037b3aff36aac61357c08a96f96292a37ac7655eb562d81fb"),
            "dev": (168, "77c17f95985cbb6db47ffcda637e717a9074f2660e15b5c0c1f9006f50da60a7"),
            "test": (168, "24e5e1615818ff6e3b96e50245cfe10636ef8ec0ea51f2c2a60acb68858fd195"),
        },
    ),
    *_lewidi(
        *("MD-Agreement", "0 1"),
        "Tweets of three domains, each judged by five annotators: 1 is offensive.",
        "E. Leonardelli, S. Menini, A. P. Aprosio, M. Guerini, S. Tonelli. Agreeing to disagree: annotating offensive "
        "language datasets with annotators' disagreement. arXiv:2109.13563, 2021.",
        {
            "train": (6592, "0b100595f7d10fd9b4624c647af2888597472b2dea90643dc788278714f57a6d"),
            "dev": (None, "b42b6b54015589504de259241e14c17ff605baab4eb146effcb17a95fbfd69f5"),
            "test": (3057, "a30f185ece8bc99a45ce50e0311593ee1a6882a816c93f6915cabd368f3fad53"),
        },
    ),
    *_lewidi(
        *("ConvAbuse", "-3 -2 -1 0 1"),
        "Dialogues with chatbots, judged by up to eight annotators on an ordered scale from -3 (very abusive) to 1.",
        "A. C. Curry, G. Abercrombie, V. Rieser. ConvAbuse: data, analysis, and benchmarks for nuanced abuse detection "
        "in conversational AI. arXiv:2109.09483, 2021.",
        {
            "train": (2398, "f68d9c1e234afaf7e582103daac4e0f362da6418be3ff38e6cce76cfa3b674fc"),
            "dev": (812, "d95f9e740b07076e070ed47a8e010894d7cdbacb3246c89a000c26a17c61a04e"),
            "test": (None, "4a88c6cf2530eb3610bd1e9e7291916ad7fdaedc01dca4e68bcc3e846310afd9"),
        },
    ),
    *_lewidi(
        *("ArMIS", "0 1"),
        "Arabic tweets, each judged by the same three annotators: 1 is misogynistic or sexist.",
        "D. Almanea, M. Poesio. ArMIS: the Arabic misogyny and sexism corpus with annotator subjective disagreements. "
        "Language Resources and Evaluation Conference, 2022.",
        {
            "train": (657, "549dcd92484fa916e4b8076476fba451cda09b8dca0ba501e70cf5a72c1397f7"),
            "dev": (None, "482112222496c64a704ea22f710bf184196beee848f5109406e3ca6196502526"),
            "test": (None, "95498bb854fe476ee33a88cfecb3b05f26e0e1baef6c1083072a56b61586c06a"),
        },
    ),
    _votes(
        *("CIFAR-10H", 10_000, "airplane automobile bird cat deer dog frog horse ship truck"),
        "9b36b4550349af56c79083356312eb4af856cc5fd3caf1f669d40b9d0bbb69ff",
        "jcpeterson/cifar-10h/48da312b193b82e6939ec20f23d1f09cbdd849c8/data/cifar10h-counts.npy",
        "CC BY-NC-SA 4.0: not for commercial use; share under the same licence.",
        "About 50 votes on each of the 10,000 test images of CIFAR-10, in its order, without the images.",
        "J. C. Peterson, R. M. Battleday, T. L. Griffiths, O. Russakovsky. Human uncertainty makes classification more "
        "robust. IEEE International Conference on Computer Vision, 2019.",
    ),
    _votes(
        *("FER+", 35_887, "neutral happiness surprise sadness anger disgust fear contempt unknown NF"),
        "9206e20d62f56475939f516847d61753e4860caeac9718b560129541b776fc2c",
        "microsoft/FERPlus/ae2128abf776409c93e50cf7c9d87180673314e6/fer2013new.csv",
        "MIT licence.",
        "Ten votes on the emotion of each face of FER2013, in its order; NF is not a face. It has no pictures.",
        "E. Barsoum, C. Zhang, C. Canton Ferrer, Z. Zhang. Training deep networks for facial expression recognition "
        "with crowd-sourced label distribution. International Conference on Multimodal Interaction, 2016.",
    ),
)

REGISTRY: dict[str, DatasetInfo] = {info.name: info for info in (*_ROWS, *_ADDITIONAL, *_VOTES)}
"""All sets by name: the benchmark sets in the order of the literature's tables, additional sets, sets of votes."""
