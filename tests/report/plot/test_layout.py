"""Layouts: causes above effects, nothing on top of anything else."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposwap.core.graph import topological_order
from toposwap.report.plot.labels import wrapped
from toposwap.report.plot.layers import count_crossings, layer_numbers, layered
from toposwap.report.plot.layout import layered_layout
from toposwap.simulate import dag

GAP = 0.3


@st.composite
def graphs(draw):
    d, seed = draw(st.integers(1, 14)), draw(st.integers(0, 2**32))
    k = draw(st.floats(0, (d - 1) / 2))
    return dag(d, "ER", k, seed)


def laid_out(edges):
    widths = np.linspace(0.5, 2.0, len(edges))
    return layered_layout(edges, widths, GAP, 1.0), widths


def edges_of(d, *pairs):
    edges = np.zeros((d, d), dtype=bool)
    for i, j in pairs:
        edges[i, j] = True
    return edges


@given(graphs())
def test_every_edge_points_down_and_nothing_overlaps(edges):
    layout, widths = laid_out(edges)
    assert set(layout.routes) == {(i, j) for i, j in np.argwhere(edges).tolist()}
    # What stands in each layer: boxes, and edges that pass it.
    intervals = {level: [] for level in range(layout.n_levels)}
    for node, level in enumerate(layout.level.tolist()):
        intervals[level].append((layout.x[node], widths[node]))
    for (i, j), passed in layout.routes.items():
        assert len(passed) == layout.level[j] - layout.level[i] - 1 >= 0
        for level, x in enumerate(passed, start=layout.level[i] + 1):
            intervals[level].append((x, 0.0))
    for level in intervals.values():
        level.sort()
        for (x, width), (next_x, next_width) in pairwise(level):
            assert next_x - x >= (width + next_width) / 2 + 0.5 * GAP - 1e-9
        assert level[0][0] - level[0][1] / 2 >= -1e-9
        assert level[-1][0] + level[-1][1] / 2 <= layout.width + 1e-9


def test_layers_are_as_short_as_their_edges_allow():
    # 0 -> 1 -> 2 and 3 -> 2: the lone cause stands next to its effect's layer, not at the top.
    edges = edges_of(4, (0, 1), (1, 2), (3, 2))
    assert layer_numbers(edges, [0, 1, 3, 2]).tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_has_no_crossings(seed):
    rng = np.random.default_rng(seed)
    label = rng.permutation(15)
    edges = edges_of(15, *((label[(k - 1) // 2], label[k]) for k in range(1, 15)))
    graph = layered(edges, topological_order(edges).tolist())
    assert count_crossings(graph) == 0


def test_crossings_are_counted():
    edges = edges_of(4, (0, 3), (1, 2))
    graph = layered(edges, [0, 1, 2, 3])
    graph.layers = [[0, 1], [2, 3]]
    assert count_crossings(graph) == 1
    graph.layers = [[0, 1], [3, 2]]
    assert count_crossings(graph) == 0


def test_sorting_removes_most_crossings():
    edges = dag(30, "ER2", random_state=0)
    order = topological_order(edges).tolist()
    sorted_graph = layered(edges, order)
    shuffled = layered(edges, order)
    rng = np.random.default_rng(0)
    for layer in shuffled.layers:
        rng.shuffle(layer)
    assert count_crossings(sorted_graph) < 0.5 * count_crossings(shuffled)


def test_nodes_without_edges_stand_in_rows_below():
    edges = edges_of(12, (0, 1), (0, 2))
    layout, _ = laid_out(edges)
    alone = layout.level[3:]
    assert alone.min() > layout.level[:3].max()
    assert len(set(alone.tolist())) < len(alone)
    # In reading order.
    places = list(zip(alone.tolist(), layout.x[3:].tolist(), strict=True))
    assert places == sorted(places)


def test_the_same_graph_has_the_same_layout():
    edges = dag(20, "ER2", random_state=1)
    first, second = laid_out(edges)[0], laid_out(edges)[0]
    np.testing.assert_array_equal(first.x, second.x)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("rain", ["rain"]),
        ("outside temperature", ["outside", "temperature"]),
        ("gdp_per_capita_growth_2020", ["gdp_per_capita_", "growth_2020"]),
        ("abcdefghijklmnopqrstuvwxyz", ["abcdefghijklm", "nopqrstuvwxyz"]),
        ("two\nlines", ["two lines"]),
        ("", [" "]),
    ],
)
def test_long_names_are_broken(name, lines):
    assert wrapped(name).split("\n") == lines


@given(st.text(max_size=200))
def test_broken_names_fit(name):
    lines = wrapped(name).split("\n")
    assert len(lines) <= 3
    assert max(map(len, lines)) <= 17


def test_names_that_differ_at_the_end_still_do():
    same = "the mean household income in euros per year and person, "
    assert wrapped(same + "2001") != wrapped(same + "2002")
