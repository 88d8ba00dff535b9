"""Pictures of functions along an edge."""

import numpy as np
import pandas as pd
import pytest
from curves import additive_table

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.report import as_text, draw_edge_function, summary
from toposwap.report.plot.edges import edge_figure


@pytest.fixture(scope="module")
def model():
    X = additive_table(0, d=3, n=200)[0]
    return ts.Topo("basis").fit(pd.DataFrame(X, columns=["a", "b", "money in $ and $"]))


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_formats(tmp_path, model, suffix, magic):
    path = tmp_path / f"edge{suffix}"
    draw_edge_function(model, "a", "money in $ and $", path)
    assert path.read_bytes().startswith(magic)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_the_curve_is_that_of_the_model(model):
    axes = edge_figure(model, 0, "b", n_points=30, title="one edge").axes[0]
    (line,) = axes.lines
    grid, values = model.edge_function("a", "b", n_points=30)
    np.testing.assert_array_equal(line.get_xdata(), grid)
    np.testing.assert_array_equal(line.get_ydata(), values)
    assert axes.get_xlabel() == "a"
    assert axes.get_ylabel() == "b, others at their mean"
    assert axes.get_title() == "one edge"


def test_a_wrong_ending_leaves_no_file(tmp_path, model):
    with pytest.raises(InputError, match=r"\.png, \.svg, \.pdf"):
        draw_edge_function(model, 0, 1, tmp_path / "edge.jpeg")
    with pytest.raises(InputError, match="no column is called"):
        draw_edge_function(model, "z", 1, tmp_path / "edge.png")
    assert not list(tmp_path.iterdir())


def test_the_summary_tells_how_edges_were_chosen(model):
    text = as_text(summary(model), width=200)
    assert "kept by F-tests of whole functions, 1% a node" in text
    assert "8 functions a variable" in text
