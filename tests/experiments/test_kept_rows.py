"""Rows of methods that were run elsewhere stay on the page."""

import re

import pytest

from toposwap.experiments.output import results
from toposwap.experiments.output.kept_rows import kept_counts, kept_versions, with_kept_rows
from toposwap.experiments.output.layouts import Table
from toposwap.experiments.output.results import write_results

LAYOUT = Table(["graph", "method"], ["d"], ["shd"])
BEFORE = """about; 10 seeds (fewer: slow 3, new 2); code 1+a, 1+b.

| graph | method | d = 5 | d = 9 |
| --- | --- | ---: | ---: |
| ER1 | slow | 7 | 8 |
| ER1 | new | 1 | 1 |
| ER1 | renamed | 2 | 2 |
| ER2 | slow | 5 | 6 |

- slow: 2 cells failed: too slow
- new: 1 cell failed: too new
"""
MADE = """| graph | method | d = 9 |
| --- | --- | ---: |
| ER1 | new | 3 |
| ER2 | new | 4 |
"""


def test_rows_of_other_methods_keep_their_places():
    page = with_kept_rows(MADE, BEFORE, [LAYOUT], ["slow", "new"], {"new"})
    assert page == (
        "| graph | method | d = 5 | d = 9 |\n| --- | --- | ---: | ---: |\n"
        "| ER1 | slow | 7 | 8 |\n| ER1 | new |  | 3 |\n"
        "| ER2 | slow | 5 | 6 |\n| ER2 | new |  | 4 |\n\n"
        "- slow: 2 cells failed: too slow\n"
    )
    assert kept_counts(BEFORE, ["slow", "new"], {"new"}) == ["slow 3"]
    assert kept_versions(BEFORE) == ["1+a", "1+b"]


def test_a_page_without_that_section_changes_nothing():
    assert with_kept_rows(MADE, "", [LAYOUT], ["slow", "new"], {"new"}) == MADE
    assert kept_counts("", ["slow"], set()) == []
    assert kept_versions("") == []


@pytest.mark.parametrize("chosen", ["again", "random-topo"])
def test_only_the_rows_of_chosen_methods_are_made_again(
    tiny, outputs, tmp_path, monkeypatch, chosen
):
    monkeypatch.setattr(results, "experiment_names", lambda: ["tiny"])
    monkeypatch.setattr(results, "load_experiment", lambda _: tiny)
    page = tmp_path / "RESULTS.md"
    write_results(page, outputs[0])
    whole = page.read_text(encoding="utf-8")
    marked = re.sub(r"(\| random-topo \| score \|) [^|]* \|", r"\1 elsewhere |", whole)
    page.write_text(marked, encoding="utf-8")
    write_results(page, outputs[0], [chosen])
    text = page.read_text(encoding="utf-8")
    assert text.count("elsewhere") == (1 if chosen == "again" else 0)
    assert chosen == "again" or text == whole
    assert text.count("| again | ") == text.count("| random-topo | ") == 3
