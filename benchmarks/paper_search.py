"""Where Algorithm TOPO ends and why: the figures of docs/paper_search.md.

Run ``python benchmarks/paper_search.py [ends|sizes|reach|exact] [tables]``. ER4 graphs, unit noise,
least squares, random starts; the yardstick is the true order's score on the same data. About ten
minutes for everything with 30 tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import toposwap as ts
from timing import seconds
from toposwap.acyclicity import ACYCLICITIES
from toposwap.candidates import KKTCandidates, UniformCandidates
from toposwap.core.graph import acyclic_order
from toposwap.core.order import Order
from toposwap.scores import LeastSquares
from toposwap.search import AutoSearch, InsertionSearch, PaperSearch, Search, run

#: More large searches than any run makes.
UNLIMITED = 10**6
#: A change of Q, relative to Q, that counts.
SOME = 1e-9
#: Excess over the true order's score that counts as having got there.
CLOSE = 0.01
RULES: dict[str, dict[str, Any]] = {
    "several": {},
    "one": {"several": False},
    "greedy": {"greedy": True},
}


@dataclass(frozen=True)
class Problem:
    """Q on some data, an order of the true graph and a random one."""

    bound: Any
    truth: float
    start: Order
    seed: int


@dataclass(frozen=True)
class End:
    """How far above the true order a run ended, relative to it, and what was left to do there.

    ``needed`` counts the large searches until the score was within a percent of the truth's.
    """

    excess: float
    needed: int
    used_up: bool
    swap_left: bool
    insertion_left: bool
    seconds: float


def problems(d: int, tables: int, starts: int = 1, noise: float | None = None) -> list[Problem]:
    """Data sets of 1000 rows; with ``noise`` covariances that are off the exact ones by so much."""
    found = []
    for table in range(tables):
        sample = ts.simulate.linear_dataset(d, 1000, "ER4", random_state=table)
        if noise is None:
            data = ts.Dataset.from_table(sample.X)
        else:
            exact = ts.simulate.population_covariance(sample.weights)
            data = ts.Dataset.from_covariance(_perturbed(exact, noise, table), 1000)
        bound = LeastSquares().bind(data)
        truth = bound.fit(Order(acyclic_order(sample.weights != 0, "W"))).value
        for k in range(starts):
            start = np.random.default_rng([table, k, 5]).permutation(d)
            found.append(Problem(bound, truth, Order(start), 10 * table + k))
    return found


def _perturbed(covariance: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """L (I + noise E) L' with E the deviation of a sample covariance, in units of its size."""
    d, n = len(covariance), 3000
    Z = np.random.default_rng(seed).standard_normal((n, d))
    deviation = (Z.T @ Z / n - np.eye(d)) * np.sqrt(n)
    L = np.linalg.cholesky(covariance)
    return L @ (np.eye(d) + noise * deviation) @ L.T


def paper_search(h: str = "logdet", **settings: Any) -> PaperSearch:
    settings.setdefault("candidates", KKTCandidates(ACYCLICITIES[h]()))
    return PaperSearch(**settings)


def end_of(problem: Problem, search: Search) -> End:
    fit = problem.bound.fit(problem.start)
    rng = np.random.default_rng(problem.seed)
    d = len(problem.start)
    history: list[Any] = []
    spent = seconds(lambda: history.extend(run(search, fit, problem.bound.data.names, rng=rng)[0]))
    large = sum(step.space == "large" for step in history)
    near = (1.0 + CLOSE) * problem.truth
    insertion = min(fit.insertion_profile(v).min() for v in range(d))
    return End(
        excess=fit.value / problem.truth - 1.0,
        needed=sum(step.space == "large" and step.score > near for step in history),
        used_up=isinstance(search, PaperSearch) and large >= search.sizes(d)[2],
        swap_left=bool(fit.swap_changes(fit.all_pairs()).min() < -SOME * fit.value),
        insertion_left=bool(insertion < -SOME * fit.value),
        seconds=spent,
    )


def line(label: str, ends: Iterable[End], above: float) -> None:
    ends = list(ends)
    bad = [end for end in ends if end.excess > above]
    needed = [end.needed for end in ends]
    spent = 1e3 * np.mean([end.seconds for end in ends])
    print(
        f"{label:<34} {len(bad):3d} of {len(ends)} above; of these s_0 used up with a swap left "
        f"{sum(e.used_up and e.swap_left for e in bad)}, a swap left outside Y "
        f"{sum(e.swap_left and not e.used_up for e in bad)}, insertions alone "
        f"{sum(e.insertion_left and not e.swap_left for e in bad)}; mean excess "
        f"{100 * np.mean([e.excess for e in ends]):.3f} %; large searches on the way "
        f"{np.mean(needed):.1f}, at most {max(needed)}; {spent:.0f} ms",
        flush=True,
    )


def ends(tables: int) -> None:
    """The three rules, two functions h, and s_0 of the paper's table or as large as d."""
    for d, starts in ((20, 4), (50, 1), (100, 1)):
        tasks = problems(d, tables, starts)
        for rule, settings in RULES.items():
            for h in ("logdet", "polynomial"):
                for words, s_0 in (("table", None), ("d", d)):
                    found = (end_of(task, paper_search(h, s_0=s_0, **settings)) for task in tasks)
                    line(f"d={d} {rule}, {h}, s_0 {words}", found, CLOSE)
        line(f"d={d} auto", (end_of(task, AutoSearch()) for task in tasks), CLOSE)


def sizes(_tables: int) -> None:
    """One run at d = 100 by s_0: 15 is the paper's."""
    X = ts.simulate.linear_dataset(100, 1000, "ER4", random_state=6).X
    for s_0 in (0, 5, 10, 15, 100):
        model = ts.Topo("least-squares", "paper", "random", s_0=s_0, random_state=7).fit(X)
        large = sum(step.space == "large" for step in model.history_)
        print(f"s_0={s_0}: {model.score_:.2f}, {model.status_}, large searches {large}")


def reach(tables: int) -> None:
    """How far apart in the order the pairs of Y are, and how many swaps a run prices."""
    for d in (20, 100):
        tasks = problems(d, tables)
        for h in ACYCLICITIES:
            apart = {"small": [], "large": []}
            for task in tasks:
                fit = task.bound.fit(task.start)
                search = paper_search(h)
                survey = search.candidates.survey(fit, np.random.default_rng(0))
                for space, size in zip(apart, search.sizes(d), strict=False):
                    places = fit.order.positions[survey.pairs(size)]
                    apart[space].append(np.abs(places[:, 0] - places[:, 1]).mean())
            told = ", ".join(f"{space} {np.mean(found):.1f}" for space, found in apart.items())
            print(f"d={d} {h}: mean distance in the order: {told}")
        for rule, settings in RULES.items():
            priced = []
            for task in tasks:
                fit = task.bound.fit(task.start)
                count = _counting(fit)
                search = paper_search("polynomial", s_0=UNLIMITED, **settings)
                rng = np.random.default_rng(task.seed)
                run(search, fit, task.bound.data.names, rng=rng)
                priced.append(count[0])
            print(f"d={d} {rule}: swaps priced {np.mean(priced):.0f}", flush=True)


def _counting(fit: Any) -> list[int]:
    """The number of swaps that ``fit`` has priced so far, which goes on counting."""
    count, price = [0], fit.swap_changes

    def counted(pairs: np.ndarray) -> np.ndarray:
        count[0] += len(pairs)
        return np.asarray(price(pairs))

    fit.swap_changes = counted
    return count


def exact(tables: int) -> None:
    """The exact covariance: swaps that change nothing, and what a little noise makes of them."""
    d = 20
    every = d * (d - 1) // 2
    tasks = problems(d, tables, 2, noise=0.0)
    for rule, settings in RULES.items():
        for h in ("logdet", "polynomial"):
            found = (end_of(task, paper_search(h, s_0=UNLIMITED, **settings)) for task in tasks)
            line(f"exact: {rule}, {h}, s_0 unlimited", found, SOME)
    for other in (AutoSearch(), InsertionSearch()):
        line(f"exact: {other.name}", (end_of(task, other) for task in tasks), SOME)
    all_swaps = paper_search(
        s_small=every, s_large=every, several=False, candidates=UniformCandidates()
    )
    for n in (1e3, 1e5, 1e7, 1e9, 1e11, np.inf):
        found = (end_of(t, all_swaps) for t in problems(d, tables, 2, noise=1.0 / np.sqrt(n)))
        line(f"best of all swaps, noise of n={n:.0e}", found, 1e-3)
    for most in (0, 20, 200, 1000):
        above = [level_walk(task, most) / task.truth - 1.0 > SOME for task in tasks]
        print(f"exact: all swaps, up to {most} level ones in a row: {sum(above)} of {len(above)}")


def level_walk(problem: Problem, most: int) -> float:
    """The best swap of all; where none helps, a random one to a new order of the same score."""
    rng = np.random.default_rng(problem.seed)
    fit = problem.bound.fit(problem.start)
    seen, level = {fit.order}, 0
    while level <= most:
        pairs = fit.all_pairs()
        changes = fit.swap_changes(pairs) / fit.value
        chosen = None
        if changes.min() < -SOME:
            chosen, seen, level = pairs[changes.argmin()], set(), 0
        elif level < most:
            flat = rng.permutation(pairs[changes < SOME])
            chosen = next((p for p in flat if fit.order.swap(*p.tolist()) not in seen), None)
            level += 1
        if chosen is None:
            break
        fit.swap(*chosen.tolist())
        seen.add(fit.order)
    return float(fit.value)


PARTS = {"sizes": sizes, "reach": reach, "exact": exact, "ends": ends}

if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if name in PARTS] or list(PARTS)
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    for name in chosen:
        PARTS[name](numbers[0] if numbers else 30)
