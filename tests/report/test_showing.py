"""What a fitted model shows of itself: axes, text, a notebook."""

import re
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.report.graph import ReportedGraph
from toposwap.report.plot.layers import layer_numbers
from toposwap.report.plot.selection import readable, strongest, surroundings

NAMES = ["a<b>&", "$x$", "c", "d"]


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).normal(size=(200, 4))
    X[:, 2] += X[:, 0] - X[:, 1]
    X[:, 3] += X[:, 2]
    return ts.Topo("bic").fit(pd.DataFrame(X, columns=NAMES))


@pytest.fixture(autouse=True)
def no_window():
    before = mpl.get_backend()
    mpl.use("Agg")
    yield
    mpl.pyplot.close("all")
    mpl.use(before)


def test_plots_return_the_axes_they_were_given(model):
    figure, axes = mpl.pyplot.subplots(1, 3)
    assert model.plot(ax=axes[0], title="t") is axes[0]
    assert model.plot_edge("c", "d", ax=axes[1]) is axes[1]
    assert model.plot_history(ax=axes[2]) is axes[2]
    figure.canvas.draw()
    boxes = {text.get_text() for text in axes[0].texts}
    assert boxes == set(NAMES)
    assert axes[1].get_xlabel() == "c"


def test_the_graph_fits_into_its_axes(model):
    figure, axes = mpl.pyplot.subplots(figsize=(2, 2))
    model.plot(ax=axes)
    figure.canvas.draw()
    room = axes.get_window_extent()
    for text in axes.texts:
        box = text.get_window_extent()
        assert room.x0 <= box.x0
        assert box.x1 <= room.x1
        assert room.y0 <= box.y0
        assert box.y1 <= room.y1


def test_without_axes_there_is_a_new_figure(model):
    assert model.plot(around="d").figure is not model.plot_edge(2, 3).figure
    assert model.plot_residuals().shape == (2, 2)
    assert model.plot_residuals("d").shape == (2,)
    with pytest.raises(InputError, match="no column is called"):
        model.plot(around="nobody")
    with pytest.raises(InputError, match="no column is called"):
        model.plot_residuals("nobody")
    with pytest.raises(InputError, match="at least one edge"):
        model.plot(most=0)


def test_a_line_of_the_edge_plot_has_the_weight_as_its_slope(model):
    line = model.plot_edge("c", "d").lines[-1]
    slope = np.diff(line.get_ydata()) / np.diff(line.get_xdata())
    assert slope == pytest.approx(model.adjacency_matrix_[2, 3], rel=1e-6)


def test_the_summary_is_what_the_command_line_prints(model):
    text = model.summary()
    assert "200 rows x 4 columns" in text
    assert "certificate  satisfied" in text


def test_in_a_notebook_names_are_text(model):
    text = model._repr_html_()
    assert "a<b>" not in text
    assert "a&lt;b&gt;&amp;" in text
    picture = ET.fromstring(re.search("<svg.*</svg>", text, re.DOTALL)[0])
    assert len([part for part in picture if part.tag.endswith("rect")]) == 4
    assert "<script" not in text
    assert "sk-" in ts.Topo()._repr_html_()


def test_checks_and_audit_are_at_hand(model):
    assert {check.verdict for check in model.checks()} == {"holds"}
    titles = {item["title"] for item in model.audit()}
    assert {"Gaps", "Units and sortability"} <= titles


def test_the_strongest_the_surest_and_the_surroundings():
    rng = np.random.default_rng(0)
    W = np.triu(rng.normal(size=(30, 30)), 1)
    graph = ReportedGraph.of_weights(W, [f"x{k}" for k in range(30)])
    most = readable(graph)
    assert most == 60
    kept = strongest(graph, most)
    assert np.abs(W[kept]).min() >= np.abs(W[(W != 0) & ~kept]).max()
    sure = rng.uniform(size=W.shape)
    kept = strongest(graph, 10, sure)
    assert sure[kept].min() >= sure[(W != 0) & ~kept].max()
    chain = ReportedGraph.of_weights(np.diag(np.ones(5), 1), list("abcdef"))
    assert surroundings(chain, "c").tolist() == [1, 2, 3]
    assert surroundings(chain, 2, steps=2).tolist() == [0, 1, 2, 3, 4]


def test_tiers_are_bands_of_layers():
    rng = np.random.default_rng(1)
    for _ in range(50):
        d = int(rng.integers(2, 9))
        edges = np.triu(rng.random((d, d)) < 0.4, 1)
        # Along the order, as edges never lead to an earlier tier; some stand in none.
        tiers = np.sort(rng.integers(0, 3, d))
        free = rng.random(d) < 0.2
        tiers[free] = -1
        layer = layer_numbers(edges, list(range(d)), tiers)
        i, j = np.nonzero(edges)
        assert (layer[i] < layer[j]).all()
        for k in range(2):
            early, late = layer[(tiers >= 0) & (tiers <= k)], layer[tiers > k]
            assert not early.size or not late.size or early.max() < late.min()
