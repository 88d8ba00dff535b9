"""All DAGs of four nodes, their equivalence classes, and the best of some of them."""

from collections import defaultdict
from itertools import product

import numpy as np

import toposwap as ts
from toposwap.core.graph import topological_order


def all_dags(d):
    """Every DAG of ``d`` nodes, (d, d) of bool each."""
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    for kinds in product((0, 1, 2), repeat=len(pairs)):
        A = np.zeros((d, d), dtype=bool)
        for (i, j), kind in zip(pairs, kinds, strict=True):
            if kind:
                A[(i, j) if kind == 1 else (j, i)] = True
        if topological_order(A) is not None:
            yield A


DAGS = np.array(list(all_dags(4)))
#: The members of each class, by the bytes of its completed graph.
CLASSES = defaultdict(list)
for _dag in DAGS:
    CLASSES[ts.metrics.cpdag(_dag).tobytes()].append(_dag)


def best_bic(X, dags):
    """The least BIC, twice Schwarz's penalty, of some DAGs on the columns of ``X``."""
    n, d = X.shape
    centred = X - X.mean(axis=0)

    def term(j, parents):
        A = centred[:, parents]
        left = centred[:, j] - A @ np.linalg.lstsq(A, centred[:, j], rcond=None)[0]
        return 0.5 * np.log(left @ left) + np.log(n) / n * len(parents)

    known = {}
    for j, bits in product(range(d), range(1 << d)):
        parents = [i for i in range(d) if bits >> i & 1]
        if j not in parents:
            known[j, bits] = term(j, parents)
    digits = 1 << np.arange(d)
    return min(sum(known[j, int(digits @ A[:, j])] for j in range(d)) for A in dags)
