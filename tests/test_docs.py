"""The code of the documentation pages does what the pages say."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("page", "needs", "checked"),
    [
        ("your_own_score.md", "torch", 3),
        ("cross_validation.md", "", 2),
        ("knowledge.md", "", 2),
        ("interventions.md", "", 1),
        ("tables.md", "", 1),
        ("confidence.md", "", 2),
        ("effects.md", "", 5),
        ("interoperability.md", "", 2),
        ("categories.md", "", 1),
    ],
)
def test_code_blocks_run(page, needs, checked, tmp_path, monkeypatch):
    """In one namespace, from top to bottom; their assertions are the test."""
    shutil.copytree(DOCS / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    if needs:
        pytest.importorskip(needs)
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert sum("assert" in block[1] for block in blocks) >= checked
    namespace = {}
    for block in blocks:
        # Padded, so that a traceback shows the line of the page.
        above = text[: block.start(1)].count("\n")
        exec(compile("\n" * above + block[1], str(DOCS / page), "exec"), namespace)
    if "matplotlib" in text:
        from matplotlib import pyplot as plt

        plt.close("all")


def test_functions_of_the_page_are_about_twenty_lines():
    text = (DOCS / "your_own_score.md").read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        if "Differentiable(" in block and "def " in block:
            assert len([line for line in block.splitlines() if line.strip()]) <= 20


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_modules_that_pages_name_exist(page):
    """Paths in backticks, such as `kernels/l0/moves.py`, are relative to the package."""
    package = ROOT / "src" / "toposwap"
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text(encoding="utf-8"))
    assert [
        path for path in named if not ((package / path).exists() or (ROOT / path).exists())
    ] == []
