"""Loading of sets with distributions by name, and of the digits of scikit-learn."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from labeldist._typing import Array
from labeldist.datasets._fetch import fetch
from labeldist.datasets._registry import DatasetInfo
from labeldist.datasets._synthetic import binarize
from labeldist.exceptions import LabelDistError
from labeldist.simplex import normalize


def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
    download_if_missing: bool = True,
) -> Any:
    """Load a set with distributions from the data folder, or from its public source.

    A file that is not in the folder is downloaded. The terms of a set, if known, are logged before
    its download.

    Parameters
    ----------
    name : str
        One of ``list_datasets()`` or of ``list_datasets("additional")``.
    data_home : path-like or None, default=None
        Folder of the data files. None is ``$LABELDIST_DATA``, or else ``~/labeldist_data``.
    return_X_y : bool, default=False
        Return the pair ``(data, target)`` instead of a Bunch.
    download_if_missing : bool, default=True
        Download a file that is not in the folder. This needs ``labeldist[app]``.

    Returns
    -------
    Bunch or tuple of ndarrays
        ``data`` (n_samples × n_features), ``target`` (the distributions, n_samples × n_labels),
        ``logical`` (`binarize` of the distributions), numbered ``feature_names`` and
        ``target_names``, ``DESCR``, ``filename``. Degrees of additional sets are divided by their
        sums.

    See Also
    --------
    list_datasets : Names of the sets.
    load_votes : Load a set of votes.

    Examples
    --------
    >>> from labeldist.datasets import load_dataset
    >>> X, D = load_dataset("Yeast_cold", return_X_y=True)  # doctest: +SKIP
    """
    info = DatasetInfo.of(name)
    if info.kind == "votes":
        raise LabelDistError(f"{name} is a set of votes. Load it with load_votes.")
    path = fetch(info, data_home, download_if_missing)
    X, D = _read_arrays(path)
    if info.kind == "additional":
        D = normalize(D)
    if return_X_y:
        return X, D
    from sklearn.utils import Bunch

    return Bunch(
        data=X,
        target=D,
        logical=binarize(D),
        feature_names=[f"feature_{column}" for column in range(info.n_features)],
        target_names=[f"label_{column}" for column in range(info.n_labels)],
        DESCR=str(info),
        filename=str(path),
    )


def _read_arrays(path: Path) -> tuple[Array, Array]:
    """Read the features and degrees of a verified MATLAB file."""
    import scipy.io

    arrays = scipy.io.loadmat(path)
    X = np.ascontiguousarray(arrays["features"], dtype=np.float64)
    D = np.ascontiguousarray(arrays["labels"], dtype=np.float64)
    return X, D
