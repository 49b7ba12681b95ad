"""All that a call could leave changed for others."""

import os
import random
import warnings

import numpy as np
from threadpoolctl import threadpool_info


def global_state():
    """Return the current state that a call could change: random numbers, warnings, threads, …"""
    return {
        "numpy's random numbers": np.random.get_state()[1].tolist(),  # noqa: NPY002
        "Python's random numbers": random.getstate(),
        "warnings": list(warnings.filters),
        "floating-point errors": np.geterr(),
        "printing": np.get_printoptions(),
        "threads": {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()},
        "environment": dict(os.environ),
        "folder": os.getcwd(),
    }
