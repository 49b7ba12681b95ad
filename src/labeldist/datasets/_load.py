"""Loading of the benchmark sets and of the digits of scikit-learn."""

import os
from typing import Any

import numpy as np

from labeldist._tables.tables import read_mat
from labeldist.datasets._fetch import locate
from labeldist.datasets._registry import REGISTRY, DatasetInfo
from labeldist.datasets._synthetic import binarize
from labeldist.exceptions import UnknownDatasetError, did_you_mean


def list_datasets() -> list[str]:
    """Return the names of the benchmark sets, in the order of the literature's tables.

    Returns
    -------
    list of str
        The names.

    See Also
    --------
    load_dataset : Load one of them.

    Examples
    --------
    >>> from labeldist.datasets import list_datasets
    >>> list_datasets()[-3:]
    ['Natural_Scene', 'Movie', 'SBU_3DFE']
    """
    return list(REGISTRY)


def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Load a benchmark set from the data folder, or from its public source if it is not there.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path-like or None, default=None
        Folder of the data files. None is ``$LABELDIST_DATA``, or else ``~/labeldist_data``.
    return_X_y : bool, default=False
        Return the pair ``(data, target)`` instead of a Bunch.
    download_if_missing : bool, default=True
        Download a file that is not in the folder. This needs ``labeldist[app]``.

    Returns
    -------
    Bunch or tuple of ndarrays
        ``data`` (n_samples × n_features), ``target`` (the distributions, n_samples × n_labels), ``logical``
        (`binarize` of the distributions), numbered ``feature_names`` and ``target_names``, ``DESCR``, ``filename``.

    See Also
    --------
    list_datasets : Names of the sets.

    Examples
    --------
    >>> from labeldist.datasets import load_dataset
    >>> X, D = load_dataset("Yeast_cold", return_X_y=True)  # doctest: +SKIP
    """
    info = find(name)
    path = locate(info, data_home, download_if_missing)
    X, D = read_mat(path)
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


def load_logical_digits(*, return_X_y: bool = False) -> Any:
    """Load the 1797 digits of scikit-learn (8 × 8 pixels), with their classes as logical labels.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return the pair ``(data, logical)`` instead of a Bunch.

    Returns
    -------
    Bunch or tuple of ndarrays
        ``data`` (1797 × 64), ``logical`` (1797 × 10, uint8, a single 1 per row), ``target`` (the class of each row),
        ``images`` (1797 × 8 × 8), ``feature_names``, ``target_names``, ``DESCR``.

    See Also
    --------
    load_dataset : Benchmark sets with true distributions.

    Examples
    --------
    >>> from labeldist.datasets import load_logical_digits
    >>> load_logical_digits().logical[3].tolist()
    [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    logical = np.eye(len(digits.target_names), dtype=np.uint8)[digits.target]
    if return_X_y:
        return digits.data, logical
    digits.logical = logical
    digits.feature_names = list(digits.feature_names)
    digits.target_names = [str(digit) for digit in digits.target_names]
    digits.DESCR = f"`logical` is 1 in the column of the class of a digit, and 0 elsewhere.\n\n{digits.DESCR}"
    return digits


def find(name: str) -> DatasetInfo:
    """Return the entry of a set in the registry."""
    if isinstance(name, str) and name in REGISTRY:
        return REGISTRY[name]
    suggestion = did_you_mean(name, REGISTRY)
    raise UnknownDatasetError(f"There is no data set {name!r}.{suggestion} There are: {', '.join(REGISTRY)}.")


def describe(info: DatasetInfo) -> str:
    """Return the size, description and references of a set."""
    size = f"{info.n_samples} rows, {info.n_features} features, {info.n_labels} labels"
    return f"{info.name}: {size}\n\n{info.description}\n\nReferences:\n\n{info.citation}\n"
