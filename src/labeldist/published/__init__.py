"""Methods of other papers, the table of all methods, and their published parameters."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from labeldist.published._methods import METHODS, Method, make_published

if TYPE_CHECKING:
    from labeldist.published.aa_bp import AABP
    from labeldist.published.aa_knn import AAKNN
    from labeldist.published.aldl import ALDL
    from labeldist.published.cpnn import CPNN
    from labeldist.published.delta_ldl import DeltaLDL
    from labeldist.published.df_ldl import DFLDL
    from labeldist.published.dldl import DLDL
    from labeldist.published.edl import EDL
    from labeldist.published.edl_lrl import EDLLRL
    from labeldist.published.fcm import FCM
    from labeldist.published.glle import GLLE
    from labeldist.published.incom_ldl import IncomLDL
    from labeldist.published.km import KM
    from labeldist.published.ld_logit_boost import LDLogitBoost
    from labeldist.published.ldl4c import LDL4C
    from labeldist.published.ldl_dpa import LDLDPA
    from labeldist.published.ldl_forest import LDLForest
    from labeldist.published.ldl_hr import LDLHR
    from labeldist.published.ldl_lc import LDLLC
    from labeldist.published.ldl_lclr import LDLLCLR
    from labeldist.published.ldl_ldm import LDLLDM
    from labeldist.published.ldl_lrr import LDLLRR
    from labeldist.published.ldl_scl import LDLSCL
    from labeldist.published.ldl_sf import LDLSF
    from labeldist.published.ldsvr import LDSVR
    from labeldist.published.lp import LP
    from labeldist.published.ml import ML
    from labeldist.published.plle import PLLE
    from labeldist.published.pt_bayes import PTBayes
    from labeldist.published.pt_svm import PTSVM
    from labeldist.published.sa_bfgs import SABFGS
    from labeldist.published.sa_iis import SAIIS
    from labeldist.published.win_ldl import WInLDL
    from labeldist.published.wsldl_mcsc import WSLDLMCSC

__all__ = [
    "AABP",
    "AAKNN",
    "ALDL",
    "CPNN",
    "DFLDL",
    "DLDL",
    "EDL",
    "EDLLRL",
    "FCM",
    "GLLE",
    "KM",
    "LDL4C",
    "LDLDPA",
    "LDLHR",
    "LDLLC",
    "LDLLCLR",
    "LDLLDM",
    "LDLLRR",
    "LDLSCL",
    "LDLSF",
    "LDSVR",
    "LP",
    "METHODS",
    "ML",
    "PLLE",
    "PTSVM",
    "SABFGS",
    "SAIIS",
    "WSLDLMCSC",
    "DeltaLDL",
    "IncomLDL",
    "LDLForest",
    "LDLogitBoost",
    "Method",
    "PTBayes",
    "WInLDL",
    "make_published",
]

# Classes are imported on first use: the command needs the table of methods only, and the classes
# load scikit-learn.
_MODULES = {
    "AABP": "aa_bp",
    "AAKNN": "aa_knn",
    "ALDL": "aldl",
    "CPNN": "cpnn",
    "DeltaLDL": "delta_ldl",
    "DFLDL": "df_ldl",
    "DLDL": "dldl",
    "EDL": "edl",
    "EDLLRL": "edl_lrl",
    "FCM": "fcm",
    "GLLE": "glle",
    "IncomLDL": "incom_ldl",
    "KM": "km",
    "LDLogitBoost": "ld_logit_boost",
    "LDL4C": "ldl4c",
    "LDLDPA": "ldl_dpa",
    "LDLForest": "ldl_forest",
    "LDLHR": "ldl_hr",
    "LDLLC": "ldl_lc",
    "LDLLCLR": "ldl_lclr",
    "LDLLDM": "ldl_ldm",
    "LDLLRR": "ldl_lrr",
    "LDLSCL": "ldl_scl",
    "LDLSF": "ldl_sf",
    "LDSVR": "ldsvr",
    "LP": "lp",
    "ML": "ml",
    "PLLE": "plle",
    "PTBayes": "pt_bayes",
    "PTSVM": "pt_svm",
    "SABFGS": "sa_bfgs",
    "SAIIS": "sa_iis",
    "WInLDL": "win_ldl",
    "WSLDLMCSC": "wsldl_mcsc",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"labeldist.published.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
