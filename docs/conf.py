"""Sphinx builds the site of the documentation with this: ``make docs``."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import matplotlib as mpl

mpl.use("Agg")

import toposwap

project = "toposwap"
author = "The toposwap developers"
copyright = author
release = version = toposwap.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "toposwap_docs",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "data", "_pictures", "_ext"]
html_theme = "furo"
html_title = f"toposwap {version}"
html_static_path = ["_static"]
html_css_files = ["toposwap.css"]
html_show_sphinx = False
templates_path = []
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "show-inheritance": False}
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
add_module_names = False
nitpicky = False
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".output pre, .linenos"
suppress_warnings = ["myst.header", "config.cache", "ref.python"]


LITERAL = re.compile(r"(``.*?``|:\w+:`[^`]*`|`[^`]*`)")


def escaped(_app, _what, _name, _object, _options, lines):
    """In docstrings |w| is a size, which Sphinx would take for a substitution."""
    formula = None
    for k, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith(".. math::"):
            formula = indent
            continue
        if formula is not None and line.strip() and indent <= formula:
            formula = None
        if formula is None:
            parts = LITERAL.split(line)
            parts[::2] = [re.sub(r"(?<!\\)\|", r"\\|", part) for part in parts[::2]]
            lines[k] = "".join(parts)


def setup(app):
    """Settings of our own."""
    app.connect("autodoc-process-docstring", escaped, priority=900)
