"""Pictures: of the right kind, complete, and with every arrow visible."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.transforms import Affine2D

import toposwap
from toposwap.core.errors import InputError, MissingExtraError, ToposwapWarning
from toposwap.report import draw_graph
from toposwap.report.graph import ReportedGraph, reported_graph
from toposwap.report.plot import graph as plot
from toposwap.report.plot.graph import graph_figure
from toposwap.report.plot.legend import NEGATIVE, POSITIVE, UNSIGNED
from toposwap.report.plot.selection import part_of, strongest
from toposwap.simulate import dag, edge_weights

TRIANGLE = np.array([[0, 1.0, -0.5], [0, 0, 2.0], [0, 0, 0]])


def model(d, k=2, seed=0):
    return edge_weights(dag(d, "ER", k, random_state=seed), random_state=seed)


def drawn(graph):
    if isinstance(graph, np.ndarray):
        graph = ReportedGraph.of_weights(graph, [f"x{k}" for k in range(len(graph))])
    axes = graph_figure(graph).axes[0]
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    return axes, arrows, boxes


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_formats(tmp_path, suffix, magic):
    path = tmp_path / f"graph{suffix}"
    draw_graph(TRIANGLE, path)
    first = path.read_bytes()
    assert first.startswith(magic)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    if suffix != ".svg":
        draw_graph(TRIANGLE, path)
        assert path.read_bytes() == first


def test_width_and_colour_tell_the_weight():
    _, arrows, _ = drawn(TRIANGLE)
    by_width = sorted(arrows, key=lambda arrow: arrow.get_linewidth())
    colours = [to_hex(arrow.get_edgecolor()) for arrow in by_width]
    assert colours == [NEGATIVE.lower(), POSITIVE.lower(), POSITIVE.lower()]
    widths = [arrow.get_linewidth() for arrow in by_width]
    assert widths[0] < widths[1] < widths[2]


def words_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_open_directions_have_no_arrowhead():
    """x0 -> x2 <- x1 is fixed by its v-structure; x2 -> x3 follows from it, x4 - x5 is open."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 6))
    X[:, 2] += X[:, 0] + X[:, 1]
    X[:, 3] += X[:, 2]
    X[:, 5] += X[:, 4]
    graph = reported_graph(toposwap.Topo("bic", random_state=0).fit(X))
    assert graph.open.sum() == 1
    axes, arrows, boxes = drawn(graph)
    assert len(arrows) == 4
    open_ends = [arrow for arrow in arrows if not has_head(arrow)]
    assert len(open_ends) == 1
    # It joins the boxes of x4 and x5, which it touches.
    ends = centre_line(open_ends[0])[[0, -1]]
    texts = {text.get_text(): text.get_position() for text in axes.texts}
    heights = sorted(texts[name][1] for name in ("x4", "x5"))
    half = boxes[0].get_path().get_extents().height / 2.0
    np.testing.assert_allclose(
        sorted(ends[:, 1]), [heights[0] + half, heights[1] - half], atol=1e-6
    )
    assert "no arrowhead: the data fit as well either way round" in words_of(axes)
    # The class of the same graph is not what least squares leaves open.
    squares = toposwap.Topo("least-squares").fit(X[:, 4:])
    assert np.count_nonzero(squares.adjacency_matrix_) == 1
    axes, arrows, _ = drawn(reported_graph(squares))
    assert all(map(has_head, arrows))
    assert not any("arrowhead" in words for words in words_of(axes))


def has_head(arrow):
    """Whether something filled, the head, is painted beside the line."""
    return any(np.atleast_1d(arrow._get_path_in_displaycoord()[1]))


def test_widths_do_not_depend_on_units_where_the_score_does_not():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4))
    X[:, 2] += X[:, 0] + 0.3 * X[:, 1]
    X[:, 3] += 2.0 * X[:, 2]
    widths = []
    for units in ([1, 1, 1, 1], [1e3, 1, 1e-2, 50]):
        graph = reported_graph(toposwap.Topo("bic", random_state=0).fit(X * units))
        axes, arrows, _ = drawn(graph)
        widths.append(sorted(arrow.get_linewidth() for arrow in arrows))
        assert any(words.startswith("width: |standardised weight|") for words in words_of(axes))
    np.testing.assert_allclose(widths[0], widths[1], rtol=1e-6)
    squares = reported_graph(toposwap.Topo("least-squares").fit(X))
    assert any(words.startswith("width: |weight|") for words in words_of(drawn(squares)[0]))


def test_curves_have_no_sign():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2))
    X[:, 1] += np.square(X[:, 0])
    axes, arrows, _ = drawn(reported_graph(toposwap.Topo("basis-bic").fit(X)))
    assert [to_hex(arrow.get_edgecolor()) for arrow in arrows] == [UNSIGNED.lower()]
    assert words_of(axes)[0] == "effect may rise and fall with cause"


@pytest.mark.parametrize("d", [3, 12, 30, 60])
def test_no_arrow_runs_through_a_box(d):
    axes, arrows, boxes = drawn(model(d, k=min(2, (d - 1) / 2), seed=d))
    assert len(boxes) == d
    rectangles = [box.get_path().get_extents() for box in boxes]
    points = np.vstack([centre_line(arrow) for arrow in arrows])
    for box in rectangles:
        inside = (
            (points[:, 0] > box.x0 + 1e-6)
            & (points[:, 0] < box.x1 - 1e-6)
            & (points[:, 1] > box.y0 + 1e-6)
            & (points[:, 1] < box.y1 - 1e-6)
        )
        assert not inside.any()
    # Everything is on the paper.
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert left < points[:, 0].min()
    assert points[:, 0].max() < right
    assert low < points[:, 1].min()
    assert points[:, 1].max() < high


def centre_line(arrow):
    """Points on the curve that an arrow was made from, before its head is attached, (m, 2)."""
    # Curves are flattened to within a unit: a large one is followed closely.
    scale = 1000.0
    path = arrow._path_original.transformed(Affine2D().scale(scale))
    return np.vstack(path.to_polygons(closed_only=False)) / scale


def test_names_fit_into_their_boxes():
    names = ["a", "mean household income in euros", "Supercalifragilisticexpialidocious"]
    figure = graph_figure(ReportedGraph.of_weights(TRIANGLE, names))
    figure.set_dpi(100)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    for text in axes.texts:
        extent = text.get_window_extent()
        assert any(
            box.get_window_extent().x0 <= extent.x0
            and extent.x1 <= box.get_window_extent().x1
            and box.get_window_extent().y0 <= extent.y0
            and extent.y1 <= box.get_window_extent().y1
            for box in boxes
        )


def test_names_are_not_mathematics(tmp_path):
    frame = pd.DataFrame(TRIANGLE, columns=["$x_1$", "100%", "$"])
    draw_graph(frame, tmp_path / "g.png", title="costs in $ and $")
    assert (tmp_path / "g.png").stat().st_size > 1000


def test_a_font_without_the_letters_is_mentioned(tmp_path):
    with pytest.warns(ToposwapWarning, match="font lacks some characters"):
        draw_graph(TRIANGLE, tmp_path / "g.png", names=["a", "\U00012000", "c"])


def test_only_the_strongest_of_very_many_edges_are_drawn(monkeypatch):
    monkeypatch.setattr(plot, "readable", lambda _graph: 10)
    axes, arrows, boxes = drawn(edge_weights(dag(8, "full", random_state=0), random_state=0))
    assert len(arrows) == 10
    assert len(boxes) == 8
    assert "18 weaker edges are not drawn" in words_of(axes)


def test_graphs_without_edges(tmp_path):
    draw_graph(np.zeros((5, 5)), tmp_path / "g.png")
    axes, arrows, boxes = drawn(np.zeros((5, 5)))
    assert (len(arrows), len(boxes)) == (0, 5)
    assert words_of(axes) == ["no edges"]


def test_refusals(tmp_path):
    with pytest.raises(InputError, match=r"g\.gif'.*\.png, \.svg, \.pdf"):
        draw_graph(TRIANGLE, tmp_path / "g.gif")
    with pytest.raises(InputError, match=r"'b' -> 'a' -> 'b'|'a' -> 'b' -> 'a'"):
        draw_graph(np.array([[0, 1], [1, 0]]), tmp_path / "g.png", names=["a", "b"])
    with pytest.raises(InputError, match="names: 2 given for 3 nodes"):
        draw_graph(TRIANGLE, tmp_path / "g.png", names=["a", "b"])
    with pytest.raises(InputError, match=r"got \(3,\)"):
        draw_graph(np.zeros(3), tmp_path / "g.png")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"g\.png.*toposwap\[plot\]"):
        draw_graph(TRIANGLE, tmp_path / "g.png")


def test_nothing_global_is_touched(tmp_path):
    code = (
        "import sys, matplotlib; before = matplotlib.rcParams.copy()\n"
        "from toposwap.report import draw_graph\n"
        f"draw_graph([[0, 1.0], [0, 0]], {str(tmp_path / 'g.png')!r})\n"
        "assert matplotlib.rcParams.copy() == before\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    home = str(Path(toposwap.__path__[0]).parent)
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": home})


def test_many_nodes_are_drawn_if_they_have_an_arrow(monkeypatch):
    monkeypatch.setattr(plot, "MOST_NODES", 5)
    weights = np.zeros((9, 9))
    weights[2, 7] = 1.0
    axes, arrows, boxes = drawn(weights)
    assert (len(arrows), len(boxes)) == (1, 2)
    assert {"x2", "x7"} <= {text.get_text() for text in axes.texts}
    assert "7 nodes without such edges are not drawn" in words_of(axes)
    axes, arrows, boxes = drawn(np.zeros((9, 9)))
    assert (len(arrows), len(boxes)) == (0, 5)
    assert "4 nodes without such edges are not drawn" in words_of(axes)


def test_equally_strong_edges_are_no_reason_to_draw_them_all(monkeypatch):
    monkeypatch.setattr(plot, "readable", lambda _graph: 10)
    assert len(drawn(np.triu(np.ones((6, 6)), 1))[1]) == 15
    assert len(drawn(np.triu(np.ones((8, 8)), 1))[1]) == 10


def two_groups():
    """Two full graphs of five nodes, one edge between them, and one node by itself."""
    weights = np.zeros((11, 11))
    weights[:5, :5] = np.triu(np.ones((5, 5)), 1)
    weights[5:10, 5:10] = np.triu(np.ones((5, 5)), 1)
    weights[4, 5] = 1.0
    return weights


def test_clusters_are_boxes_with_names_and_links():
    graph = ReportedGraph.of_weights(two_groups(), [f"x{k}" for k in range(11)])
    axes = graph_figure(graph, clusters=True).axes[0]
    labels = [text.get_text() for text in axes.texts]
    assert len(labels) == 3
    assert labels[0].startswith("5 columns\n")
    assert set(labels[0].split("\n", 1)[1].replace("\n", " ").split(", ")) == {
        f"x{k}" for k in range(5)
    }
    assert labels[2] == "1 column\nx10"
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == 1
    assert has_head(arrows[0])
    assert words_of(axes)[0] == "clusters of columns: 20 edges inside, 1 between"


def test_the_cluster_of_a_column(tmp_path):
    graph = ReportedGraph.of_weights(two_groups(), [f"x{k}" for k in range(11)])
    assert part_of(graph, cluster="x7").graph.names == ("x5", "x6", "x7", "x8", "x9")
    draw_graph(two_groups(), tmp_path / "g.svg", cluster=2)
    with pytest.raises(InputError, match="cluster: no column is called 'y'; there are 'x0'"):
        draw_graph(two_groups(), tmp_path / "h.svg", cluster="y")
    with pytest.raises(InputError, match="around and cluster"):
        draw_graph(two_groups(), tmp_path / "h.svg", cluster=1, around=2)
    assert [path.name for path in tmp_path.iterdir()] == ["g.svg"]


def test_edges_of_the_column_in_the_middle_come_first():
    weights = np.triu(np.ones((6, 6)), 1)
    weights[2] *= 0.01
    weights[:, 2] *= 0.01
    graph = ReportedGraph.of_weights(weights, [f"x{k}" for k in range(6)])
    part = part_of(graph, around="x2")
    chosen = strongest(part.graph, 5, centre=part.centre)
    assert np.argwhere(chosen).tolist() == [[0, 2], [1, 2], [2, 3], [2, 4], [2, 5]]


def test_weights_of_categories_have_no_sign():
    graph = ReportedGraph.of_weights(TRIANGLE, ["a", "b", "c"])
    sized = np.zeros((3, 3), dtype=bool)
    sized[0, 1] = True
    axes, arrows, _ = drawn(replace(graph, sized=sized))
    colours = [to_hex(arrow.get_edgecolor()).upper() for arrow in arrows]
    assert sorted(colours) == sorted([POSITIVE, NEGATIVE, UNSIGNED])
    assert "without a sign: effect differs with the value of the cause" in words_of(axes)
