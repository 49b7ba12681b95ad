"""Slow reference implementations, written from the definitions."""

import math
from fractions import Fraction

import numpy as np
from scipy import stats
from scipy.optimize import minimize
from scipy.spatial.distance import cdist, cityblock, jensenshannon, pdist, squareform


def measures_by_hand(d, p):
    """Return the measures of one row, in plain Python or by SciPy."""
    c = len(d)
    top_d, top_p = ({j for j in range(c) if x[j] == max(x)} for x in (d, p))
    varied = len(set(d)) > 1 and len(set(p)) > 1
    cumulative = [sum(d[: j + 1]) - sum(p[: j + 1]) for j in range(c - 1)]
    relative = [abs(d[j] - p[j]) / (d[j] + p[j]) if d[j] + p[j] > 0 else 0.0 for j in range(c)]
    return {
        "chebyshev": max(abs(d[j] - p[j]) for j in range(c)),
        "clark": math.sqrt(sum(r * r for r in relative)),
        "canberra": sum(relative),
        "kl_divergence": sum(
            d[j] * math.log(d[j] / max(p[j], 2.0**-52)) for j in range(c) if d[j] > 0
        ),
        "cosine": sum(d[j] * p[j] for j in range(c))
        / (math.sqrt(sum(x * x for x in d)) * math.sqrt(sum(x * x for x in p))),
        "intersection": sum(min(d[j], p[j]) for j in range(c)),
        "manhattan": cityblock(d, p),
        "euclidean": math.dist(d, p),
        "jensen_shannon": jensenshannon(d, p) ** 2,
        "spearman": stats.spearmanr(d, p).statistic if varied else 0.0,
        "kendall": stats.kendalltau(d, p).statistic if varied else 0.0,
        "top_label": len(top_d & top_p) / len(top_d | top_p),
        "wasserstein": stats.wasserstein_distance(range(c), range(c), d, p) / max(c - 1, 1),
        "ranked_probability": sum(x * x for x in cumulative) / max(c - 1, 1),
    }


def project_by_search(v):
    """Return the nearest point of the simplex, by a general optimiser."""
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
    """Solve AX + XB = C as one linear system in vec(X); return the solution of minimum norm."""
    m, c = C.shape
    operator = np.kron(A, np.eye(c)) + np.kron(np.eye(m), B.T)
    return np.linalg.lstsq(operator, C.ravel(), rcond=1e-13)[0].reshape(m, c)


def enhancement_system_by_hand(X, L, reconstruction, smoothness, n_neighbors, width=1.0):
    """Return Φ and A, B, C of BD-LE on standardised features, computed pair by pair."""
    n = len(X)
    deviation = X.std(axis=0, ddof=1)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    distance = cdist(Z, Z)
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
    """Return means and centred co-moments, computed row by row in extended precision."""
    X, D, weights = (np.asarray(a, dtype=np.longdouble) for a in (X, D, weights))
    total = weights.sum()
    mean_x = (weights[:, None] * X).sum(axis=0) / total
    mean_d = (weights[:, None] * D).sum(axis=0) / total
    xx = sum(w * np.outer(x - mean_x, x - mean_x) for w, x in zip(weights, X, strict=True))
    xd = sum(w * np.outer(x - mean_x, d - mean_d) for w, x, d in zip(weights, X, D, strict=True))
    dd = sum(w * np.outer(d - mean_d, d - mean_d) for w, d in zip(weights, D, strict=True))
    return mean_x, mean_d, xx, xd, dd


def bidirectional_loss(X, D, theta, b, e, reconstruction, ridge, weights):
    """Return the objective of BD-LDL with intercepts in both directions, computed row by row."""
    loss = ridge * (theta**2).sum()
    for x, d, w in zip(X, D, weights, strict=True):
        loss += w * ((theta.T @ x + b - d) ** 2).sum()
        loss += w * reconstruction * ((x - theta @ d - e) ** 2).sum()
    return loss


def kernel_method_by_hand(X, L, bandwidth):
    """Return the scores of KM, computed from the kernel values of the rows with each label."""
    scores = np.zeros(L.shape)
    for k, members in enumerate(L.T > 0):
        K = np.exp(-cdist(X[members], X[members], "sqeuclidean") / (2 * bandwidth**2))
        squared = 1 - 2 * K.mean(axis=1) + K.mean()
        distance = np.sqrt(np.maximum(squared, 0))
        scores[members, k] = 1 - distance / (distance.max() + 1e-6)
    return scores


def propagation_by_iteration(X, L, spread, width=1.0, steps=400):
    """Return the scores of LP, by iterated propagation along the normalised graph."""
    A = np.exp(-cdist(X, X, "sqeuclidean") / (2 * width**2))
    np.fill_diagonal(A, 0)
    root = np.sqrt(A.sum(axis=1))
    P = A / np.outer(root, root)
    F = L.astype(float)
    for _ in range(steps):
        F = spread * P @ F + (1 - spread) * L
    return F


def reconstruction_weights_by_hand(X, n_neighbors, ridge=1e-3):
    """Return the weights of locally linear embedding, one least-squares problem per row."""
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        distance = np.linalg.norm(X - X[i], axis=1)
        distance[i] = -1  # the row itself comes first
        others = np.argsort(distance)[1 : n_neighbors + 1]
        differences = X[others] - X[i]
        gram = differences @ differences.T
        gram = gram + ridge * np.trace(gram) * np.eye(len(others))
        k = len(others)
        # The optimality conditions with a multiplier for the sum of the weights.
        system = np.block([[gram, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        W[i, others] = np.linalg.solve(system, np.append(np.zeros(k), 1.0))[:k]
    return W


def fuzzy_memberships_by_hand(X, centers, fuzziness):
    """Return 1 / Σ_j (‖x − v_k‖ / ‖x − v_j‖)^(2/(β−1))."""
    distance = cdist(X, centers)
    ratios = distance[:, :, None] / distance[:, None, :]
    return 1 / (ratios ** (2 / (fuzziness - 1))).sum(axis=2)


def gauss_newton_step_by_hand(objective, point):
    """Return the Gauss-Newton step of LDL-SCL in (θ, w) and log C, from its quadratic model."""
    C = point.C
    size = point.coef.size

    def parts(direction):
        return direction[:size].reshape(point.coef.shape), direction[size:].reshape(C.shape)

    def roots(direction):
        """Return the terms whose squares sum to the model."""
        coef, log_codes = parts(direction)
        found = [
            (np.sqrt(2 * objective.ridge) * coef).ravel(),
            (np.sqrt(objective.barrier / C) * log_codes).ravel(),
        ]
        for x, p, codes, change in zip(objective.X, point.P, C, log_codes, strict=True):
            score = np.concatenate([x, codes]) @ coef + (codes * change) @ point.w
            found.append(np.sqrt(p) * (score - p @ score))
            moved = p * (score - p @ score)
            for code, d, centre in zip(codes, change, objective.centres, strict=True):
                root = moved + 0.5 * d * (p - centre)
                found.append(np.sqrt(2 * objective.local_correlation * code) * root)
        return np.concatenate(found)

    factor = np.array([roots(direction) for direction in np.eye(size + C.size)])
    by_coef, by_codes = objective.gradient(point)
    gradient = np.concatenate([by_coef.ravel(), (C * by_codes).ravel()])
    return parts(-np.linalg.solve(factor @ factor.T, gradient))


def incomplete_degrees_by_search(X, D, weight, low_rank):
    """Return the scores of IncomLDL or WInLDL for the rows, by a general optimiser."""
    A = np.column_stack([X, np.ones(len(X))])
    shape = A.shape[1], D.shape[1]
    D = np.nan_to_num(D)
    positive = np.kron(A, np.eye(shape[1]))
    # The coefficients of the labels sum to zero, and their intercepts to one.
    sums = np.kron(np.eye(shape[0]), np.ones(shape[1]))
    totals = np.eye(shape[0])[-1]

    def value_and_gradient(w):
        Y = A @ w.reshape(shape)
        U, sigma, Vt = np.linalg.svd(Y, full_matrices=False)
        by_scores = weight * (Y - D) + low_rank * (U @ Vt)
        value = 0.5 * (weight * (Y - D) ** 2).sum() + low_rank * sigma.sum()
        return value, (A.T @ by_scores).ravel()

    start = np.zeros(shape)
    start[-1] = [0.3, 0.4, 0.3]
    start[0] = [0.01, -0.02, 0.01]  # the nuclear norm is smooth where the rank is full
    found = minimize(
        value_and_gradient,
        start.ravel(),
        jac=True,
        constraints=[
            {"type": "ineq", "fun": lambda w: positive @ w, "jac": lambda w: positive},
            {"type": "eq", "fun": lambda w: sums @ w - totals, "jac": lambda w: sums},
        ],
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return A @ found.x.reshape(shape)


def in_fractions(array):
    """Return the same numbers as an array of exact fractions."""
    return np.vectorize(Fraction, otypes=[object])(array)


def bidirectional_learning_in_fractions(X, D, reconstruction, ridge):
    """Return the scores of BD-LDL for its training rows, with intercepts, in exact arithmetic."""
    X = in_fractions(X)
    D = in_fractions(D)
    n, m = X.shape
    reconstruction = Fraction(reconstruction)
    ridge = Fraction(ridge)
    Z = X - X.sum(axis=0) / n
    E = D - D.sum(axis=0) / n
    A = Z.T @ Z + ridge * np.eye(m, dtype=int)
    B = reconstruction * (E.T @ E)
    C = (1 + reconstruction) * (Z.T @ E)
    theta = sylvester_in_fractions(A, B, C)
    return (Z @ theta + D.sum(axis=0) / n).astype(float)


def sylvester_in_fractions(A, B, C):
    """Solve AX + XB = C for matrices of fractions, by elimination; the solution must be unique."""
    (m, c), one = C.shape, np.eye
    operator = np.kron(A, one(c, dtype=int)) + np.kron(one(m, dtype=int), B.T)
    system = np.column_stack([operator, C.ravel()])
    for k in range(m * c):
        pivot = k + next(i for i, entry in enumerate(system[k:, k]) if entry)
        system[[k, pivot]] = system[[pivot, k]]
        system[k] = system[k] / system[k, k]
        for i in range(m * c):
            if i != k and system[i, k]:
                system[i] = system[i] - system[i, k] * system[k]
    return system[:, -1].reshape(m, c)


def dawid_skene_by_loops(votes, n_labels, smoothing, n_iter):
    """Return posteriors, confusion matrices, priors and log-likelihood by plain EM over votes."""
    labels = range(n_labels)
    by_item = {}
    for i, who, label in votes:
        by_item.setdefault(i, []).append((who, label))
    q = {
        i: [sum(k == j for _, k in cast) / len(cast) for j in labels] for i, cast in by_item.items()
    }
    for _ in range(n_iter):
        prior = [sum(q[i][j] for i in q) / len(q) for j in labels]
        confusion = []
        for annotator in range(1 + max(who for _, who, _ in votes)):
            rows = []
            for j in labels:
                pooled = [
                    0.01 + sum(q[i][j] for i, _, given in votes if given == k) for k in labels
                ]
                mass = [smoothing * m / sum(pooled) for m in pooled]
                for i, who, k in votes:
                    mass[k] += q[i][j] if who == annotator else 0
                rows.append([m / sum(mass) for m in mass])
            confusion.append(rows)
        log_likelihood = 0
        for i, cast in by_item.items():
            joint = [prior[j] * math.prod(confusion[who][j][k] for who, k in cast) for j in labels]
            log_likelihood += math.log(sum(joint))
            q[i] = [p / sum(joint) for p in joint]
    return list(q.values()), confusion, prior, log_likelihood


def log_likelihood_by_urn(counts, alpha):
    """Return the Dirichlet-multinomial log-likelihood, vote by vote from Polya's urn."""
    result = 0
    for row in counts:
        urn = list(alpha)
        for k, votes in enumerate(row):
            for _ in range(int(votes)):
                result += math.log(urn[k] / sum(urn))
                urn[k] += 1
    return result


def alpha_by_pairs(rows, distance):
    """Return Krippendorff's alpha of lists of values, by the squared distances of all pairs."""
    rows = [row for row in rows if len(row) > 1]
    values = [value for row in rows for value in row]
    observed = sum(
        distance(a, b, values) / (len(row) - 1)
        for row in rows
        for i, a in enumerate(row)
        for b in row[:i] + row[i + 1 :]
    )
    expected = sum(distance(a, b, values) for a in values for b in values)
    return 1 - (len(values) - 1) * observed / expected


def skill_of_truth_by_simulation(truth, n_votes, rng):
    """Return the skill of true distributions that are judged by the shares of drawn votes."""
    votes = rng.multinomial(n_votes, truth)
    shares = votes / votes.sum(axis=1, keepdims=True)
    mean = shares.mean(axis=0)
    logs = np.log(np.where(shares > 0, shares, 1))
    achieved = (shares * (logs - np.log(np.maximum(truth, 2.0**-52)))).sum()
    return 1 - achieved / (shares * (logs - np.log(mean))).sum()


def kernel_ridge_scores(X, T, ridge):
    """Return scores of Gaussian kernel ridge regression, with a free intercept, by one system."""
    distances = pdist((X - X.mean(axis=0)) / X.std(axis=0, ddof=1))
    K = np.exp(-(squareform(distances / distances.mean()) ** 2) / 2)
    n = len(X)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = K + ridge * np.eye(n)
    system[n, n] = 0
    solution = np.linalg.solve(system, np.vstack([T, np.zeros(T.shape[1])]))
    return K @ solution[:-1] + solution[-1]
