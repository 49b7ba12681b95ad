"""One table of all estimators: the method of each, where it comes from and what it needs.

The command, the common checks and the pages of the documentation use it. A test compares its column
`onnx` with the learners that `labeldist.models.to_onnx` exports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

__all__ = ["METHODS", "Method"]

Kind = Literal["enhancer", "learner", "classifier", "wrapper"]
Basis = Literal["paper", "authors' code", "public code", "reconstruction", "this library"]

ORDERED = "ordered labels"
MISSING = "missing degrees"
ONNX_EXPORTS = (
    "Linear, softmax and kernel models of columns of numbers can be exported; trees, neighbours, "
    "networks, text, categories and dates cannot."
)
ONE_LABEL = "one label per row"
CANDIDATES = "candidate labels"
COUNTS = "counts of votes"

PAPER = (
    "X. Liu et al. Bidirectional loss function for label enhancement and distribution "
    "learning. KBS 213, 2021."
)
GENG = "X. Geng. Label distribution learning. IEEE TKDE 28(7), 2016."
XU = (
    "N. Xu, Y.-P. Liu, X. Geng. Label enhancement for label distribution learning. IEEE "
    "TKDE 33(4), 2021."
)


@dataclass(frozen=True)
class Method:
    """One row of the table of methods.

    Parameters
    ----------
    name : str
        Name of the method in its paper.
    estimator : str
        Name of the class in `labeldist.enhancement` or `labeldist.learning`.
    kind : {"enhancer", "learner", "classifier", "wrapper"}
        What the class does. A wrapper contains another estimator.
    reference : str
        The publication, empty for methods of this library.
    basis : str
        What the formula rests on: the paper, its authors' code, public code of others, a
        reconstruction from incomplete sources, or this library.
    needs : tuple of str
        Special input: ordered labels, missing degrees (accepted as NaN), one label per row,
        candidate labels, counts of votes.
    published : mapping of str to object
        Parameters of the published method where they differ from the defaults.
    command : str
        Name in the command, empty if the command does not offer it.
    onnx : bool
        Whether `labeldist.models.to_onnx` exports it.

    See Also
    --------
    labeldist.models.to_onnx : Export a fitted model.

    Examples
    --------
    >>> from labeldist.methods import METHODS
    >>> [method.estimator for method in METHODS if "missing degrees" in method.needs]
    ['IncomLDL', 'WInLDL', 'WSLDLMCSC']
    """

    name: str
    estimator: str
    kind: Kind
    reference: str = ""
    basis: Basis = "this library"
    needs: tuple[str, ...] = ()
    published: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    onnx: bool = False

    @property
    def package(self) -> str:
        """The package from which the class is imported."""
        return "labeldist.enhancement" if self.kind == "enhancer" else "labeldist.learning"

    def estimator_class(self) -> Any:
        """Import and return the class.

        Returns
        -------
        type
            The class of the estimator.
        """
        return getattr(import_module(self.package), self.estimator)


METHODS: tuple[Method, ...] = (
    Method(
        "BD-LE",
        "BDLE",
        "enhancer",
        PAPER,
        "paper",
        published={"solver": "exact"},
        command="bdle",
    ),
    Method(
        "BayesLE",
        "BayesLE",
        "enhancer",
        command="bayes",
    ),
    Method(
        "VoteLE",
        "VoteLE",
        "enhancer",
        needs=(COUNTS,),
    ),
    Method(
        "GLLE",
        "GLLE",
        "enhancer",
        XU,
        "authors' code",
        published={"solver": "lbfgs"},
        command="glle",
    ),
    Method(
        "FCM",
        "FCM",
        "enhancer",
        XU,
        "paper",
        published={"output": "clip"},
        command="fcm",
    ),
    Method(
        "KM",
        "KM",
        "enhancer",
        XU,
        "paper",
        published={"output": "clip"},
        command="km",
    ),
    Method(
        "LP",
        "LP",
        "enhancer",
        XU,
        "paper",
        published={"output": "clip"},
        command="lp",
    ),
    Method(
        "ML",
        "ML",
        "enhancer",
        XU,
        "paper",
        published={"output": "clip"},
        command="ml",
    ),
    Method(
        "DLDL",
        "DLDL",
        "enhancer",
        "Y. Jia, J. Tang, J. Jiang. Label distribution learning from logical label. IJCAI 2024.",
        "authors' code",
        command="dldl",
    ),
    Method(
        "softmax of the tags",
        "LogicalSoftmax",
        "enhancer",
        command="logical-softmax",
    ),
    Method(
        "uniform distribution",
        "Uniform",
        "enhancer",
        command="uniform",
    ),
    Method(
        "BD-LDL",
        "BDLDL",
        "learner",
        PAPER,
        "paper",
        published={"fit_intercept": False},
        command="bdldl",
        onnx=True,
    ),
    Method(
        "BD-LDL, tuned",
        "BDLDLCV",
        "learner",
        PAPER,
        "paper",
        published={"fit_intercept": False},
        command="bdldlcv",
        onnx=True,
    ),
    Method(
        "softmax regression",
        "SoftmaxRegression",
        "learner",
        command="softmaxregression",
        onnx=True,
    ),
    Method(
        "softmax regression, tuned",
        "SoftmaxRegressionCV",
        "learner",
        command="softmax",
        onnx=True,
    ),
    Method(
        "randomised trees",
        "DistributionForest",
        "learner",
        "P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning "
        "63(1), 2006.",
        command="forest",
    ),
    Method(
        "boosted trees",
        "DistributionBoosting",
        "learner",
        "J. H. Friedman. Greedy function approximation: a gradient boosting machine. "
        "Annals of Statistics 29(5), 2001.",
        command="boosting",
    ),
    Method(
        "mean distribution",
        "MeanDistribution",
        "learner",
        command="mean",
        onnx=True,
    ),
    Method(
        "SA-BFGS",
        "SABFGS",
        "learner",
        GENG,
        "paper",
        command="sabfgs",
        onnx=True,
    ),
    Method(
        "SA-IIS",
        "SAIIS",
        "learner",
        "X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label "
        "distributions. IEEE TPAMI 35(10), 2013.",
        "paper",
        command="saiis",
        onnx=True,
    ),
    Method(
        "PT-Bayes",
        "PTBayes",
        "learner",
        GENG,
        "paper",
        published={"var_smoothing": 1e-09, "sampling": "draw"},
        command="ptbayes",
    ),
    Method(
        "PT-SVM",
        "PTSVM",
        "learner",
        GENG,
        "paper",
        command="ptsvm",
    ),
    Method(
        "AA-kNN",
        "AAKNN",
        "learner",
        GENG,
        "paper",
        command="aaknn",
    ),
    Method(
        "AA-BP",
        "AABP",
        "learner",
        GENG,
        "paper",
        command="aabp",
    ),
    Method(
        "LDLLC",
        "LDLLC",
        "learner",
        "X. Jia, W. Li, J. Liu, Y. Zhang. Label distribution learning by exploiting label "
        "correlations. AAAI 2018.",
        "authors' code",
        command="ldllc",
        onnx=True,
    ),
    Method(
        "LDL-SCL",
        "LDLSCL",
        "learner",
        "X. Zheng, X. Jia, W. Li. Label distribution learning by exploiting sample "
        "correlations locally. AAAI 2018.",
        "public code",
        command="ldlscl",
        onnx=True,
    ),
    Method(
        "EDL-LRL",
        "EDLLRL",
        "learner",
        "X. Jia et al. Facial emotion distribution learning by exploiting low-rank label "
        "correlations locally. CVPR 2019.",
        "public code",
        command="edllrl",
        onnx=True,
    ),
    Method(
        "CPNN",
        "CPNN",
        "learner",
        "X. Geng, C. Yin, Z.-H. Zhou. Facial age estimation by learning from label "
        "distributions. IEEE TPAMI 35(10), 2013.",
        "paper",
        needs=(ORDERED,),
        command="cpnn",
    ),
    Method(
        "EDL",
        "EDL",
        "learner",
        "Y. Zhou, H. Xue, X. Geng. Emotion distribution recognition from facial "
        "expressions. ACM Multimedia 2015.",
        "reconstruction",
        needs=(ORDERED,),
        command="edl",
        onnx=True,
    ),
    Method(
        "LDSVR",
        "LDSVR",
        "learner",
        "X. Geng, P. Hou. Pre-release prediction of crowd opinion on movies by label "
        "distribution learning. IJCAI 2015.",
        "paper",
        published={"epsilon": 0.1},
        command="ldsvr",
    ),
    Method(
        "LDLogitBoost",
        "LDLogitBoost",
        "learner",
        "C. Xing, X. Geng, H. Xue. Logistic boosting regression for label distribution "
        "learning. CVPR 2016.",
        "authors' code",
        command="ldlogitboost",
    ),
    Method(
        "LDLF",
        "LDLForest",
        "learner",
        "W. Shen, K. Zhao, Y. Guo, A. Yuille. Label distribution learning forests. NeurIPS 2017.",
        "paper",
        command="ldlforest",
    ),
    Method(
        "DF-LDL",
        "DFLDL",
        "learner",
        "M. González et al. Decomposition-fusion for label distribution learning. "
        "Information Fusion 66, 2021.",
        "paper",
        command="dfldl",
    ),
    Method(
        "IncomLDL",
        "IncomLDL",
        "learner",
        "M. Xu, Z.-H. Zhou. Incomplete label distribution learning. IJCAI 2017.",
        "paper",
        needs=(MISSING,),
        command="incomldl",
        onnx=True,
    ),
    Method(
        "WInLDL",
        "WInLDL",
        "learner",
        "X. Li, S. Chen. Weighted incomplete label distribution learning. AAAI 2024.",
        "public code",
        needs=(MISSING,),
        command="winldl",
        onnx=True,
    ),
    Method(
        "WSLDL-MCSC",
        "WSLDLMCSC",
        "learner",
        "X. Jia et al. Weakly supervised label distribution learning based on "
        "transductive matrix completion with sample correlations. Pattern Recognition "
        "Letters 125, 2019.",
        "authors' code",
        needs=(MISSING,),
    ),
    Method(
        "LDLSF",
        "LDLSF",
        "learner",
        "T. Ren et al. Label distribution learning with label-specific features. IJCAI 2019.",
        "public code",
        command="ldlsf",
        onnx=True,
    ),
    Method(
        "LDL-LCLR",
        "LDLLCLR",
        "learner",
        "T. Ren et al. Label distribution learning with label correlations via low-rank "
        "approximation. IJCAI 2019.",
        "reconstruction",
        command="ldllclr",
        onnx=True,
    ),
    Method(
        "LDL4C",
        "LDL4C",
        "learner",
        "J. Wang, X. Geng. Classification with label distribution learning. IJCAI 2019.",
        "paper",
        command="ldl4c",
        onnx=True,
    ),
    Method(
        "LDL-HR",
        "LDLHR",
        "learner",
        "J. Wang, X. Geng. Learn the highest label and rest label description degrees. IJCAI 2021.",
        "paper",
        command="ldlhr",
        onnx=True,
    ),
    Method(
        "LDL-LRR",
        "LDLLRR",
        "learner",
        "X. Jia et al. Label distribution learning by maintaining label ranking relation. "
        "IEEE TKDE 35(2), 2023.",
        "authors' code",
        command="ldllrr",
        onnx=True,
    ),
    Method(
        "LDL-DPA",
        "LDLDPA",
        "learner",
        "X. Jia, T. Qin, Y. Lu, W. Li. Adaptive weighted ranking-oriented label "
        "distribution learning. IEEE TNNLS 35(8), 2024.",
        "public code",
        command="ldldpa",
        onnx=True,
    ),
    Method(
        "LDL-LDM",
        "LDLLDM",
        "learner",
        "J. Wang, X. Geng. Label distribution learning by exploiting label distribution "
        "manifold. IEEE TNNLS 34(2), 2023.",
        "authors' code",
        command="ldlldm",
        onnx=True,
    ),
    Method(
        "δ-LDL",
        "DeltaLDL",
        "learner",
        "Li et al. ICML 2025. https://icml.cc/virtual/2025/poster/46395",
        "reconstruction",
        command="deltaldl",
        onnx=True,
    ),
    Method(
        "ALDL",
        "ALDL",
        "learner",
        "X. Geng, Q. Wang, Y. Xia. Facial age estimation by adaptive label distribution "
        "learning. ICPR 2014.",
        "reconstruction",
        needs=(
            ORDERED,
            ONE_LABEL,
        ),
        onnx=True,
    ),
    Method(
        "PL-LE",
        "PLLE",
        "classifier",
        "N. Xu, J. Lv, X. Geng. Partial label learning via label enhancement. AAAI 2019.",
        "reconstruction",
        needs=(CANDIDATES,),
    ),
    Method(
        "enhancer and learner",
        "EnhancedLearner",
        "wrapper",
    ),
    Method(
        "classifier on soft labels",
        "SoftLabelClassifier",
        "wrapper",
    ),
    Method(
        "log-linear pool",
        "BlendedLearner",
        "wrapper",
        "C. Genest, J. V. Zidek. Combining probability distributions: a critique and an annotated "
        "bibliography. Statistical Science 1(1), 1986.",
        "paper",
    ),
    Method(
        "conformal intervals",
        "ConformalLearner",
        "wrapper",
        "V. Vovk. Cross-conformal predictors. Annals of Mathematics and Artificial "
        "Intelligence 74, 2015.",
        "paper",
    ),
)
"""All methods: enhancers, then learners, classifiers and wrappers."""
