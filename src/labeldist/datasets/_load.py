"""Loading of the benchmark sets by name."""

import os
from typing import Any

from labeldist._tables.tables import read_mat
from labeldist.datasets._fetch import locate
from labeldist.datasets._logical import binarize
from labeldist.datasets._registry import REGISTRY, DatasetInfo
from labeldist.exceptions import DatasetError, UnknownDatasetError, did_you_mean


def list_datasets() -> list[str]:
    """Return the names of the benchmark sets, in the order of the literature's tables.

    Returns
    -------
    list of str

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
        Folder of the data files. None uses the environment variable ``LABELDIST_DATA``, and without that
        ``~/labeldist_data``.
    return_X_y : bool, default=False
        Return the pair ``(data, target)`` instead of a Bunch.
    download_if_missing : bool, default=True
        Download a file that is not in the folder. This needs ``labeldist[app]``.

    Returns
    -------
    Bunch or tuple of ndarrays
        ``data`` (n_samples × n_features), ``target`` (the distributions, n_samples × n_labels), ``logical``
        (`binarize` of the distributions), ``feature_names`` and ``target_names`` (numbered: the files contain no
        names), ``DESCR``, ``filename``.

    Raises
    ------
    UnknownDatasetError
        If there is no set of that name.
    DatasetNotFoundError, ChecksumError
        If the file is missing or differs from the published one.

    See Also
    --------
    list_datasets : Names of the sets.
    make_artificial : Synthetic data that need no download.

    Examples
    --------
    >>> from labeldist.datasets import load_dataset
    >>> X, D = load_dataset("Yeast_cold", return_X_y=True)  # doctest: +SKIP
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
    """Return the entry of a set in the registry."""
    if isinstance(name, str) and name in REGISTRY:
        return REGISTRY[name]
    suggestion = did_you_mean(name, REGISTRY)
    raise UnknownDatasetError(f"There is no data set {name!r}.{suggestion} There are: {', '.join(REGISTRY)}.")


def describe(info: DatasetInfo) -> str:
    """Return the size, description and references of a set."""
    size = f"{info.n_samples} rows, {info.n_features} features, {info.n_labels} labels"
    return f"{info.name}: {size}\n\n{info.description}\n\nReferences:\n\n{info.citation}\n"
