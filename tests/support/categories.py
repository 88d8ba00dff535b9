"""Tables of categories, and their scores by brute force."""

import math
from collections import Counter

import numpy as np
import pandas as pd


def brute_cost(rows, z, parents, sizes, score):
    """By the formulas, from dictionaries of counts."""
    q = math.prod(int(sizes[p]) for p in parents)
    of_parents = Counter(tuple(row[list(parents)]) for row in rows)
    joint = Counter((tuple(row[list(parents)]), row[z]) for row in rows)
    if score.prior:
        alpha, beta = score.prior / q, score.prior / (q * sizes[z])
        total = sum(math.lgamma(alpha) - math.lgamma(alpha + c) for c in of_parents.values())
        return -total - sum(math.lgamma(beta + c) - math.lgamma(beta) for c in joint.values())
    likelihood = sum(c * math.log(c / of_parents[key[0]]) for key, c in joint.items())
    return score.price(len(rows)) * (sizes[z] - 1) * q - likelihood


def frame_of(X, letters="abcdefgh"):
    return pd.DataFrame({f"c{j}": [letters[int(v)] for v in x] for j, x in enumerate(X.T)})


def column_of(z, parents):
    edges = np.zeros((4, 4), dtype=bool)
    edges[list(parents), z] = True
    return edges
