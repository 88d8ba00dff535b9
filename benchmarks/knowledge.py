"""What is known, obeyed: violations, time with tiers and forbidden edges, and the exact minimum.

Run ``python benchmarks/knowledge.py`` (``--quick`` for fewer cases). One core, kernels warm. Times
are ratios to the same fit without knowledge, taken in turns in one run; the processor's time, as
other programs may be running.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import timing  # noqa: F401 - one thread
import toposwap as ts
from toposwap.core.graph import topological_order
from toposwap.search.chains import ChainSearch

sys.path.insert(0, str(Path(__file__).parents[1]))
from fuzz.knowledge import disobeyed, random_knowledge

SCORES = (
    *("bic", "least-squares", "least-squares-l1", "gaussian-l1", "gaussian-mcp", "ebic"),
    *("equal-variance-l0", "basis", "basis-bic", "basis-lasso", "huber-bic", "least-squares-ridge"),
)
#: A fit that takes longer than this counts as one that hangs.
_HANGS = 60.0


def violations(cases: int) -> None:
    """Scores, searches, starts and knowledge drawn at random: all obeyed, or refused by name."""
    outcomes, longest = Counter(), 0.0
    for seed in range(cases):
        rng = np.random.default_rng([seed, 20])
        d = int(rng.integers(3, 13))
        X = ts.simulate.linear_dataset(d, int(rng.integers(60, 300)), "ER1", random_state=seed).X
        names = [f"x{k}" for k in range(d)]
        known = random_knowledge(rng, names)
        search = str(rng.choice(["auto", "paper", "insertion", "exact", "none"]))
        score = SCORES[seed % len(SCORES)]
        if search == "exact" and (d > 8 or score not in ("bic", "least-squares")):
            search = "auto"
        starts = ("auto", "random", rng.permutation(d), rng.standard_normal((d, d)))
        restarts = 2 if search == "auto" else None
        began = time.process_time()
        try:
            model = ts.Topo(
                score,
                search,
                starts[int(rng.integers(4))],
                knowledge=known,
                n_restarts=restarts,
            ).fit(X)
        except ts.InputError as error:
            outcomes["named" if str(error).startswith("knowledge: ") else "refused otherwise"] += 1
            continue
        longest = max(longest, time.process_time() - began)
        told = [
            text
            for W in (model.weights_, model.adjacency_matrix_)
            for text in disobeyed(W, known, names)
        ]
        outcomes["violated" if told else "obeyed"] += 1
        if told:
            print(f"  case {seed}: {score}, {search}: {told}")
    hung = "0 hangs" if longest < _HANGS else "HANGS"
    print(f"{cases} random cases: {dict(outcomes)}; the longest took {longest:.1f} s, {hung}")


def processor_time(score: str, X: np.ndarray, known: ts.Knowledge | None) -> tuple[float, ts.Topo]:
    """Seconds of the processor for one fit."""
    began = time.process_time()
    model = ts.Topo(score, knowledge=known).fit(X)
    return time.process_time() - began, model


def differences(model: ts.Topo, truth: np.ndarray) -> int:
    """Edges missing, superfluous or turned, of the class for a score that knows no more."""
    if model.result_.equivalent:
        return int(ts.metrics.compare_classes(truth, model.adjacency_matrix_).shd)
    return int(ts.metrics.shd(truth, model.adjacency_matrix_))


def large(score: str, seeds: int, repeats: int) -> None:
    """ER4, n = 1000, d = 100: tiers of the true order, and 200 forbidden edges absent in truth."""
    ratios: dict[str, list[float]] = {"tiers": [], "forbidden": []}
    shd: dict[str, list[int]] = {"nothing": [], "tiers": [], "forbidden": []}
    lower: dict[str, list[float]] = {"tiers": [], "forbidden": []}
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        sample = ts.simulate.linear_dataset(100, 1000, "ER4", random_state=seed)
        truth = sample.weights != 0.0
        order = topological_order(truth)
        absent = np.argwhere(~truth & ~np.eye(100, dtype=bool))
        chosen = absent[rng.choice(len(absent), 200, replace=False)].tolist()
        sayings = {
            "tiers": ts.Knowledge(tiers=[order[k : k + 5].tolist() for k in range(0, 100, 5)]),
            "forbidden": ts.Knowledge(forbidden=[tuple(pair) for pair in chosen]),
        }
        for known in (None, *sayings.values()):
            if seed == 0:
                processor_time(score, sample.X, known)
        plain = [processor_time(score, sample.X, None) for _ in range(repeats)]
        shd["nothing"].append(differences(plain[0][1], truth))
        for name, known in sayings.items():
            told = [processor_time(score, sample.X, known) for _ in range(repeats)]
            ratios[name].append(min(t for t, _ in told) / min(t for t, _ in plain))
            shd[name].append(differences(told[0][1], truth))
            lower[name].append(told[0][1].score_ - plain[0][1].score_)
    for name, times in ratios.items():
        more = np.subtract(shd[name], shd["nothing"])
        error = more.std() / np.sqrt(seeds - 1)
        print(
            f"{score}, d = 100, {seeds} tables, {name}: {np.median(times):.2f} times the time "
            f"without; SHD {np.mean(shd[name]):.1f}, without {np.mean(shd['nothing']):.1f} "
            f"(difference {more.mean():+.1f}, standard error {error:.1f}); "
            f"score {np.median(lower[name]):+.4f}"
        )


def against_exact(cases: int) -> None:
    """Local search with its default restarts against the proven minimum, d <= 12.

    The default would prove so few columns itself, and be compared with itself.
    """
    met = {True: [0, 0], False: [0, 0]}
    seed = 0
    while sum(total for _, total in met.values()) < cases:
        seed += 1
        rng = np.random.default_rng([seed, 21])
        d = int(rng.integers(5, 13))
        X = ts.simulate.linear_dataset(d, 200, "ER2", random_state=seed).X
        known = random_knowledge(rng, [f"x{k}" for k in range(d)])
        try:
            best = ts.Topo("bic", "exact", knowledge=known).fit(X)
        except ts.InputError:
            continue
        if not known or best.status_ != "global minimum":
            continue
        found = ts.Topo("bic", ChainSearch(proved=0), knowledge=known).fit(X)
        counts = met[bool(known.ancestors or known.not_ancestors)]
        counts[0] += found.score_ <= best.score_ + 1e-8
        counts[1] += 1
    total = [sum(counts) for counts in zip(*met.values(), strict=True)]
    print(
        f"bic, the constrained minimum: {total[0]} of {total[1]} ({total[0] / total[1]:.1%}); with "
        f"ancestors among what is known {met[True][0]} of {met[True][1]}"
    )


def main() -> None:
    """Print one line for each bar."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["violations", "large", "exact"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.only in (None, "violations"):
        violations(500 if options.quick else 10_000)
    if options.only in (None, "large"):
        for score in ("bic", "least-squares"):
            large(score, 3 if options.quick else 20, 3)
    if options.only in (None, "exact"):
        against_exact(40 if options.quick else 200)


if __name__ == "__main__":
    main()
