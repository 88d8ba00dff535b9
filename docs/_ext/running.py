"""Run the code of a page and put what it prints below it.

Blocks of ``python`` share one namespace from the top of a page to its end; the value of a last
expression is shown as a notebook shows it, and open figures become pictures. Of blocks of
``console`` the lines after ``$`` are run by a shell. A block that fails fails the page; one that
cannot be run says why in a comment above it: ``<!-- not run: needs a cluster -->``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

BLOCK = re.compile(
    r"^(?P<skip><!-- not run: [^\n]*-->\n+)?(?P<fence>`{3,})(?P<kind>python|console)\n"
    r"(?P<code>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
HIDDEN = re.compile(r"^<!-- run\n(?P<code>.*?)^-->$", re.MULTILINE | re.DOTALL)
_MOST_LINES = 60


class BlockError(Exception):
    """A block of a page that failed, with its place."""


def with_outputs(text: str, folder: Path, pictures: Path, name: str) -> str:
    """``text`` with the output of each block below it; blocks run in ``folder``.

    ``pictures`` is where figures are saved, ``name`` how their files begin.
    """
    namespace: dict[str, object] = {"__name__": "__page__"}
    parts, at, drawn = [], 0, 0
    hidden = {match.start(): match for match in HIDDEN.finditer(text)}
    shown = {match.start(): match for match in BLOCK.finditer(text)}
    for start in sorted(hidden | shown):
        if start < at:
            continue
        match = hidden.get(start) or shown[start]
        parts.append(text[at : match.end()])
        at = match.end()
        place = text[: match.start()].count("\n") + 1
        if start in hidden:
            _python(match["code"], namespace, folder, f"{name}:{place}")
            continue
        if match["skip"]:
            continue
        if match["kind"] == "console":
            output = _console(match["code"], folder, f"{name}:{place}")
        else:
            output = _python(match["code"], namespace, folder, f"{name}:{place}")
        if output.strip():
            parts.append(f"\n\n```{{code-block}} text\n:class: output\n\n{_cut(output)}\n```\n")
        for figure in _figures():
            drawn += 1
            pictures.mkdir(parents=True, exist_ok=True)
            file = pictures / f"{name.replace('/', '-')}-{drawn}.png"
            figure.savefig(file, dpi=110)
            parts.append(f"\n\n![output](/_pictures/{file.name})\n")
    return "".join([*parts, text[at:]])


def _python(code: str, namespace: dict[str, object], folder: Path, where: str) -> str:
    """What the code prints, and the value of its last expression."""
    printed = io.StringIO()
    before = Path.cwd()
    try:
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        os.chdir(folder)
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, where, "exec"), namespace)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
                if value is not None and not _axes(value):
                    print(value if hasattr(value, "to_string") else repr(value))
    except Exception as error:
        raise BlockError(f"{where}: {type(error).__name__}: {error}") from error
    finally:
        os.chdir(before)
    return printed.getvalue()


def _console(code: str, folder: Path, where: str) -> str:
    """What the commands after ``$`` print; lines without one belong to the command above."""
    commands = re.findall(r"^\$ (.*(?:\\\n.*)*)", code, re.MULTILINE)
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": bin_folder + os.pathsep + os.environ["PATH"],
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    printed = []
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BlockError(f"{where}: {command}\n{done.stdout}{done.stderr}")
        printed.append(done.stdout)
    return "".join(printed)


def _cut(output: str) -> str:
    lines = output.rstrip().splitlines()
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"... {len(lines) - _MOST_LINES} more lines"]
    return "\n".join(line.rstrip() for line in lines)


def _axes(value: object) -> bool:
    """Whether a value is something of matplotlib, which shows itself as a picture."""
    kind = type(value).__module__
    if kind.startswith("matplotlib"):
        return True
    return kind == "numpy" and str(getattr(value, "dtype", "")) == "object"


def _figures() -> list:
    """The figures that are open, which are closed then."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    plt = sys.modules["matplotlib.pyplot"]
    found = [plt.figure(number) for number in plt.get_fignums()]
    plt.close("all")
    return found
