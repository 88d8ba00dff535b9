"""CSV, Markdown and plots: the numbers of one are those of the other."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from toposwap.core.errors import InputError
from toposwap.experiments.cell import code_version
from toposwap.experiments.execution.run import run
from toposwap.experiments.output import results
from toposwap.experiments.output.figure import draw
from toposwap.experiments.output.files import write_outputs
from toposwap.experiments.output.frame import read_cells
from toposwap.experiments.output.layouts import figure_of
from toposwap.experiments.output.results import write_results
from toposwap.experiments.output.scales import scale_of
from toposwap.experiments.output.table import number
from toposwap.experiments.store import Store


def test_one_row_a_cell(tiny, outputs):
    cells = read_cells(outputs[0] / "tiny.csv")
    assert len(cells) == 12
    assert cells[["method", "d", "seed"]].drop_duplicates().shape[0] == 12
    assert set(cells["version"]) == {code_version()}
    own = cells[cells["method"] == "random-topo"]
    assert (own["total_seconds"] == own["seconds"]).all()
    again = cells[cells["method"] == "again"]
    np.testing.assert_allclose(
        again["total_seconds"], again["seconds"].to_numpy() + own["seconds"].to_numpy()
    )


def test_markdown_numbers_are_recomputed_from_the_csv(outputs):
    folder, _ = outputs
    cells = read_cells(folder / "tiny.csv")
    words = {"KKT": "kkt", "score": "score", "SHD": "shd"}
    lines = (folder / "tiny.md").read_text(encoding="utf-8").splitlines()
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in lines if "|" in line]
    header, body = rows[0], rows[2:]
    assert header[2:] == ["d = 5", "d = 8"]
    assert len(body) == 6
    for method, metric, *shown in body:
        for d, text in zip((5, 8), shown, strict=True):
            part = cells[(cells["method"] == method) & (cells["d"] == d)][words[metric]].astype(
                float
            )
            mean, error = part.mean(), part.std() / np.sqrt(3)
            found = re.match(r"([-\d.e+]+)(?: ± ([-\d.e+]+))?", text)
            assert float(found[1]) == pytest.approx(mean, rel=2e-3, abs=6e-3)
            assert float(found[2] or 0) == pytest.approx(error, rel=0.06, abs=1e-9)


def test_the_papers_figures_stand_beside_ours(outputs):
    text = (outputs[0] / "tiny.md").read_text(encoding="utf-8")
    score = next(line for line in text.splitlines() if line.startswith("| random-topo | score"))
    assert score.count("(2.50 ± 0.1)") == 1
    kkt = next(line for line in text.splitlines() if line.startswith("| random-topo | KKT"))
    assert kkt == "| random-topo | KKT | 1 | 1 (1) |"


@pytest.mark.parametrize(
    ("mean", "error", "text"),
    [
        (9.80312, 0.0214, "9.803 ± 0.021"),
        (0.6667, 0.3333, "0.67 ± 0.33"),
        (145.23, 52.61, "145 ± 53"),
        (1.0, 0.0, "1"),
        (1.0, None, "1"),
        (7.4e18, 7.1e18, "7.4e+18 ± 7.1e+18"),
        (0.0012345, 0.00012, "0.00123 ± 0.00012"),
    ],
)
def test_numbers_have_the_digits_that_mean_something(mean, error, text):
    assert number(mean, error) == text


def test_failures_are_told(tiny, tmp_path, inline):
    from toposwap.experiments.execution.work import Outcome, run_cell

    def answer(cell, start):
        return Outcome({"error": "it broke"}) if cell.seed == 0 else run_cell(cell, start)

    with Store(tmp_path / "runs") as store:
        run(tiny, store, inline(answer))
        write_outputs(tiny, store, code_version())
    text = (tmp_path / "runs" / "tiny.md").read_text(encoding="utf-8")
    assert "[2 of 3]" in text
    assert "- random-topo: 2 cells failed: it broke" in text
    assert "- again: 2 cells failed: what it starts from failed" in text


# --- plots ---------------------------------------------------------------------------------------


def test_plots_are_png_and_svg(outputs):
    names = {path.name for path in outputs[1]}
    for metric in ("score", "shd"):
        assert {f"tiny.{metric}.png", f"tiny.{metric}.svg"} <= names
    for path in outputs[1]:
        assert path.stat().st_size > 0


def frame(**columns):
    cells = pd.DataFrame(columns)
    return cells.assign(seed=0, error=None)


def test_a_line_for_each_method_with_its_own_style():
    cells = frame(
        method=["random-topo", "notears"] * 4,
        d=[10, 10, 20, 20] * 2,
        graph=["ER1"] * 4 + ["SF1"] * 4,
        shd=np.arange(8.0),
    )
    layout = figure_of({"kind": "lines", "x": "d", "columns": "graph", "metrics": ["shd"]})
    ((name, figure),) = draw(layout, cells, pd.DataFrame())
    assert name == "shd"
    assert len(figure.axes) == 2
    for ax in figure.axes:
        lines = [container.lines[0] for container in ax.containers]
        assert len({line.get_color() for line in lines}) == 2
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["10", "20"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["random-topo", "notears"]


def test_before_and_after():
    cells = frame(
        method=["pc", "refine pc", "ges", "refine ges"],
        d=[20] * 4,
        graph=["ER4"] * 4,
        score=[12.0, 10.0, 13.0, 10.0],
    )
    layout = figure_of(
        {"kind": "before-after", "columns": "graph", "metrics": ["score"], "where": {"d": 20}}
    )
    ((_, figure),) = draw(layout, cells, pd.DataFrame())
    (ax,) = figure.axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["pc", "ges"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "as returned",
        "after refine",
    ]


def test_a_trace_is_coloured_by_search_space():
    trace = pd.DataFrame(
        {
            "d": [20] * 3,
            "seed": [0] * 3,
            "iteration": [0, 1, 2],
            "space": ["start", "small", "large"],
            "score": [30.0, 20.0, 10.0],
            "shd": [9, 5, 1],
        }
    )
    ((_, figure),) = draw(figure_of({"kind": "trace", "rows": "d"}), pd.DataFrame(), trace)
    assert len(figure.axes) == 2
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert set(labels) == {"starting order", "small search space", "large search space"}


@pytest.mark.parametrize(
    ("metric", "means", "scale"),
    [
        ("score", [10.0, 12.0, 400.0], "linear"),
        ("score", [10.0, 12.0, 7e5], "log"),
        ("score", [10.0, np.nan, np.inf], "linear"),
        ("score", [0.0, 1.0, 60.0], "log"),
        ("score", [-40.0, -35.0, 20.0, 0.01], "linear"),
        ("order_score", [-40.0, -35.0, 7e5], "symlog"),
        ("shd", [1.0, 500.0], "linear"),
        ("kkt", [0.001, 1.0], "linear"),
        ("total_seconds", [1.0, 2.0], "log"),
        ("score", [], "linear"),
        ("score", [0.0, 0.0], "linear"),
    ],
)
def test_one_method_that_explodes_does_not_hide_the_others(metric, means, scale):
    assert scale_of(metric, means).name == scale


def test_scales_of_axes():
    def axis(values, kind="lines", **more):
        cells = frame(method=["pc", "refine pc", "ges", "refine ges"], d=[5] * 4, score=values)
        layout = figure_of({"kind": kind, "metrics": ["score"], **more})
        ((_, figure),) = draw(layout, cells, pd.DataFrame())
        return figure.axes[0]

    exploded = [12.0, 10.0, 7e5, 10.0]
    assert axis(exploded, x="d").get_yscale() == "log"
    assert axis([12.0, 10.0, 13.0, 10.0], x="d").get_yscale() == "linear"
    assert axis(exploded, "bars", x="d").get_yscale() == "log"
    assert axis(exploded, "before-after", columns="d").get_xscale() == "log"
    below = axis([-12.0, -10.0, 7e5, -11.0], x="d")
    assert below.get_yscale() == "symlog"
    # Limits near the points: margins are those of this scale, not of a linear one.
    assert -1000.0 < below.get_ylim()[0] < -12.0


def test_without_matplotlib_the_tables_remain(tiny, tmp_path, inline, monkeypatch):
    from toposwap.core.errors import MissingExtraError

    def absent(purpose):
        raise MissingExtraError("matplotlib", "plot", purpose)

    monkeypatch.setattr("toposwap.experiments.output.files.require_matplotlib", absent)
    notes = []
    with Store(tmp_path / "runs") as store:
        run(replace(tiny, seeds=1), store, inline())
        paths = write_outputs(tiny, store, code_version(), notes.append)
    assert [path.suffix for path in paths] == [".csv", ".md"]
    assert notes == ['plots needs the package matplotlib: pip install "toposwap[plot]"']


# --- the page of all results ---------------------------------------------------------------------


def test_results_keep_what_a_person_wrote(tiny, outputs, tmp_path, monkeypatch):
    monkeypatch.setattr("toposwap.experiments.output.results.experiment_names", lambda: ["tiny"])
    monkeypatch.setattr("toposwap.experiments.output.results.load_experiment", lambda _: tiny)
    page = tmp_path / "RESULTS.md"
    assert write_results(page, outputs[0]) == 1
    text = page.read_text(encoding="utf-8")
    table = (outputs[0] / "tiny.md").read_text(encoding="utf-8").split("\n\n")[-1].strip()
    assert table in text
    assert code_version() in text
    note = "<!-- notes tiny -->\nAgrees with nothing.\n\nWhy? It is tiny.\n<!-- end -->"
    page.write_text(text.replace("<!-- notes tiny -->\n<!-- end -->", note), encoding="utf-8")
    write_results(page, outputs[0])
    assert note in page.read_text(encoding="utf-8")
    write_results(page, outputs[0])
    assert page.read_text(encoding="utf-8").count("Agrees with nothing.") == 1


def test_results_keep_sections_that_were_run_elsewhere(tiny, outputs, tmp_path, monkeypatch):
    names = ["first", "tiny", "last"]
    frame = results.cell_frame
    monkeypatch.setattr(results, "experiment_names", lambda: names)
    monkeypatch.setattr(results, "load_experiment", lambda name: tiny if name == "tiny" else None)
    monkeypatch.setattr(results, "cell_frame", lambda of, *more: frame(of, *more) if of else ())
    page = tmp_path / "RESULTS.md"
    first = "## first: Once\n\n| a |\n"
    last = "## last: Also\n\n| b |\n\n<!-- notes last -->\nMine.\n"
    page.write_text(f"# Results\n\n{first}\n## gone: No longer\n\n{last}<!-- end -->\n")
    for _ in range(2):
        assert write_results(page, outputs[0]) == 1
        text = page.read_text()
        assert text.index(first) < text.index("## tiny: ") < text.index(last)
        assert text.count("Mine.") == 1
        assert "gone" not in text


def test_results_of_nothing(tmp_path):
    with pytest.raises(InputError, match="no finished cells"):
        write_results(tmp_path / "RESULTS.md", tmp_path)
