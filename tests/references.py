"""Slow, obvious versions of what the library does fast, written from the definitions alone."""

import math

import numpy as np
from scipy.optimize import minimize


def measures_by_hand(d, p):
    """The six measures of one row, in plain Python."""
    c = len(d)
    relative = [abs(d[j] - p[j]) / (d[j] + p[j]) if d[j] + p[j] > 0 else 0.0 for j in range(c)]
    return {
        "chebyshev": max(abs(d[j] - p[j]) for j in range(c)),
        "clark": math.sqrt(sum(r * r for r in relative)),
        "canberra": sum(relative),
        "kl_divergence": sum(d[j] * math.log(d[j] / max(p[j], 2.0**-52)) for j in range(c) if d[j] > 0),
        "cosine": sum(d[j] * p[j] for j in range(c))
        / (math.sqrt(sum(x * x for x in d)) * math.sqrt(sum(x * x for x in p))),
        "intersection": sum(min(d[j], p[j]) for j in range(c)),
    }


def project_by_search(v):
    """The nearest point of the simplex, by a general optimiser."""
    c = len(v)
    result = minimize(
        lambda x: ((x - v) ** 2).sum(),
        np.full(c, 1 / c),
        jac=lambda x: 2 * (x - v),
        bounds=[(0, 1)] * c,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(c)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return result.x


def sylvester_by_kronecker(A, B, C):
    """AX + XB = C as one linear system in vec(X), of minimum norm where it is singular."""
    m, c = C.shape
    operator = np.kron(A, np.eye(c)) + np.kron(np.eye(m), B.T)
    return np.linalg.lstsq(operator, C.ravel(), rcond=1e-13)[0].reshape(m, c)


def enhancement_system_by_hand(X, L, reconstruction, smoothness, n_neighbors, width=1.0):
    """Φ and the A, B, C of BD-LE on standardised features, pair by pair."""
    n = len(X)
    deviation = X.std(axis=0, ddof=1)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    distance = np.array([[math.dist(a, b) for b in Z] for a in Z])
    bandwidth = distance[np.triu_indices(n, 1)].mean()
    Phi = np.hstack([np.exp(-(distance**2) / (2 * bandwidth**2)), np.ones((n, 1))])
    A = np.zeros((n, n))
    for i in range(n):
        others = [j for j in np.argsort(distance[i], kind="stable") if j != i]
        for j in others[:n_neighbors]:
            A[i, j] = math.exp(-(distance[i, j] ** 2) / (2 * width**2))
    G = np.diag((A + A.T).sum(axis=1) / 2) - A
    S = (G + G.T) / 2
    M = Phi.T @ Phi + smoothness * Phi.T @ S @ Phi
    return Phi, M, reconstruction * L.T @ L, (1 + reconstruction) * Phi.T @ L


def co_moments_by_loop(X, D, weights):
    """Means and centred co-moments, row by row in extended precision."""
    X, D, weights = (np.asarray(a, dtype=np.longdouble) for a in (X, D, weights))
    total = weights.sum()
    mean_x = (weights[:, None] * X).sum(axis=0) / total
    mean_d = (weights[:, None] * D).sum(axis=0) / total
    xx = sum(w * np.outer(x - mean_x, x - mean_x) for w, x in zip(weights, X, strict=True))
    xd = sum(w * np.outer(x - mean_x, d - mean_d) for w, x, d in zip(weights, X, D, strict=True))
    dd = sum(w * np.outer(d - mean_d, d - mean_d) for w, d in zip(weights, D, strict=True))
    return mean_x, mean_d, xx, xd, dd


def bidirectional_loss(X, D, theta, b, e, reconstruction, ridge, weights):
    """The objective of BD-LDL with intercepts in both directions, row by row."""
    loss = ridge * (theta**2).sum()
    for x, d, w in zip(X, D, weights, strict=True):
        loss += w * ((theta.T @ x + b - d) ** 2).sum()
        loss += w * reconstruction * ((x - theta @ d - e) ** 2).sum()
    return loss
