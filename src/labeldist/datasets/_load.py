"""The benchmark sets by name."""

import os
from typing import TYPE_CHECKING, Literal, overload

from labeldist._tables.tables import read_mat
from labeldist._typing import Array
from labeldist.datasets._fetch import locate
from labeldist.datasets._logical import binarize
from labeldist.datasets._registry import REGISTRY, DatasetInfo
from labeldist.exceptions import DatasetError, UnknownDatasetError, did_you_mean

if TYPE_CHECKING:
    from sklearn.utils import Bunch


def list_datasets() -> list[str]:
    """Names of the benchmark sets, in the order of the literature's tables."""
    return list(REGISTRY)


@overload
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: Literal[False] = False,
    download_if_missing: bool = True,
) -> "Bunch": ...
@overload
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: Literal[True],
    download_if_missing: bool = True,
) -> tuple[Array, Array]: ...
@overload
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool,
    download_if_missing: bool = True,
) -> "Bunch | tuple[Array, Array]": ...
def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> "Bunch | tuple[Array, Array]":
    """Load a benchmark set, from disk or, the first time, from its public source.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path-like or None
        Folder of the data files; None for the environment variable ``LABELDIST_DATA``, and without that for
        ``~/labeldist_data``.
    return_X_y : bool
        Return the pair ``(data, target)`` instead of a Bunch.
    download_if_missing : bool
        Whether to download a file that is not in the folder. This needs ``labeldist[app]``.

    Returns
    -------
    Bunch
        ``data`` (n_samples × n_features), ``target`` (the distributions, n_samples × n_labels), ``logical``
        (`binarize` of them), ``feature_names`` and ``target_names`` (numbered: the files have no names),
        ``DESCR``, ``filename``.

    Raises
    ------
    UnknownDatasetError
        There is no set of that name.
    DatasetNotFoundError, ChecksumError
        There is no file, or not the right one; the message says what to do.
    """
    info = find(name)
    path = locate(info, data_home, download_if_missing)
    X, D = read_mat(path)
    found = (len(X), X.shape[1], D.shape[1])
    expected = (info.n_samples, info.n_features, info.n_labels)
    if found != expected:
        raise DatasetError(
            f"{path} has {found[0]} rows, {found[1]} features and {found[2]} labels; "
            f"{name} has {expected[0]}, {expected[1]} and {expected[2]}."
        )
    if return_X_y:
        return X, D
    from sklearn.utils import Bunch

    return Bunch(
        data=X,
        target=D,
        logical=binarize(D),
        feature_names=[f"feature_{column}" for column in range(info.n_features)],
        target_names=[f"label_{column}" for column in range(info.n_labels)],
        DESCR=describe(info),
        filename=str(path),
    )


def find(name: str) -> DatasetInfo:
    """Return a set's row in the registry."""
    if isinstance(name, str) and name in REGISTRY:
        return REGISTRY[name]
    suggestion = did_you_mean(name, REGISTRY)
    raise UnknownDatasetError(f"There is no data set {name!r}.{suggestion} There are: {', '.join(REGISTRY)}.")


def describe(info: DatasetInfo) -> str:
    """Say what a set is, how large, and what to cite."""
    size = f"{info.n_samples} rows, {info.n_features} features, {info.n_labels} labels"
    return f"{info.name}: {size}\n\n{info.description}\n\nTo be cited:\n\n{info.citation}\n"
