"""Imports point one way only, and heavy packages wait until they are needed."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import toposwap

ROOT = Path(toposwap.__file__).parent

#: From the top down: what a person runs, learners, moves, judgements, Q and h, and what they are
#: made of. A package may import what stands on a line below its own.
LAYERS = (
    {"__main__"},
    {"cli"},
    {"experiments"},
    {"report"},
    {"estimators"},
    {"learn"},
    {"baselines"},
    {"learner"},
    {"result", "prune"},
    {"search"},
    {"certificate", "candidates", "diagnostics"},
    {"scores", "acyclicity"},
    {"losses", "penalties", "basis"},
    {"kernels", "order", "graph", "dataset"},
)
#: Beside the learners: these may use only DATA, and only what a person runs may use them.
ASIDE = {"simulate", "metrics", "io", "data"}
DATA = {"order", "graph", "dataset"}
#: For everybody.
COMMON = {"errors", "registry"}


def allowed(package):
    """What ``package`` may import apart from itself."""
    if package in COMMON:
        return {"errors"}
    if package in ASIDE:
        return DATA | COMMON
    height = next(k for k, layer in enumerate(LAYERS) if package in layer)
    below = COMMON.union(*LAYERS[height + 1 :])
    if package in {"cli", "experiments", "report"}:
        return below | ASIDE
    # The equivalence class of what was learned.
    return below | {"metrics"} if package == "learner" else below


def package_of(module):
    """'toposwap.search.paper' -> 'search'; the package itself is ''."""
    return [*module.split("."), ""][1]


def imports(source, module, *, is_package):
    """Everything of toposwap that ``source`` imports, anywhere in it, as packages."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = module.split(".") if is_package else module.split(".")[:-1]
                parents = here[: len(here) - node.level + 1]
                base = ".".join([*parents, *filter(None, [base])])
            names = [base]
            if base == "toposwap":
                names = [
                    toposwap._HOMES.get(alias.name, f"toposwap.{alias.name}")
                    for alias in node.names
                    if alias.name != "__version__"
                ]
        else:
            continue
        found |= {package_of(name) for name in names if name.split(".")[0] == "toposwap"}
    return found


def upward(source, module, *, is_package=False):
    """The imports of ``module`` that its place does not allow."""
    package = package_of(module)
    return imports(source, module, is_package=is_package) - allowed(package) - {package}


MODULES = {
    ".".join(["toposwap", *path.relative_to(ROOT).with_suffix("").parts]): path
    for path in sorted(ROOT.rglob("*.py"))
    if path != ROOT / "__init__.py"
}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module):
    path = MODULES[module]
    is_package = path.name == "__init__.py"
    name = module.removesuffix(".__init__")
    assert upward(path.read_text(encoding="utf-8"), name, is_package=is_package) == set()


def test_every_package_has_a_place():
    packages = {package_of(module) for module in MODULES}
    assert packages <= set().union(*LAYERS) | ASIDE | COMMON


@pytest.mark.parametrize(
    ("source", "module", "found"),
    [
        ("from toposwap.search import run", "toposwap.scores.base", {"search"}),
        ("def f():\n    import toposwap.learn", "toposwap.search.base", {"learn"}),
        ("if TYPE_CHECKING:\n    from toposwap import Topo", "toposwap.io.edges", {"estimators"}),
        ("from toposwap import simulate", "toposwap.estimators.topo", {"simulate"}),
        ("from toposwap.learn import learn", "toposwap.baselines.kkts", {"learn"}),
        ("from ..candidates import kkt", "toposwap.certificate.x", {"candidates"}),
        ("from .. import estimators", "toposwap.kernels.jit", {"estimators"}),
        ("from toposwap.kernels import jit", "toposwap.metrics.compare", {"kernels"}),
        ("from toposwap.scores import Score", "toposwap.acyclicity.base", {"scores"}),
        ("from toposwap.graph import find_cycle", "toposwap.errors", {"graph"}),
        ("from toposwap.registry import resolve", "toposwap.errors", {"registry"}),
        # These are in order.
        ("from toposwap import __version__, Order", "toposwap.io.edges", set()),
        ("from .base import Search\nimport numpy", "toposwap.search.local", set()),
        ("from toposwap.errors import InputError", "toposwap.registry", set()),
        ("from toposwap import metrics, Topo", "toposwap.cli.fit", set()),
    ],
)
def test_the_rule_itself(source, module, found):
    assert upward(source, module) == found


# --- what an import costs ------------------------------------------------------------------------


def run(code):
    """Run ``code`` in a fresh interpreter and return what it prints as JSON."""
    path = os.pathsep.join([str(ROOT.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


PRINT_LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def test_the_package_alone_loads_nothing_heavy():
    loaded = set(run(f"import toposwap; {PRINT_LOADED}"))
    heavy = {"torch", "matplotlib", "pandas", "networkx", "numba", "sklearn", "scipy", "numpy"}
    assert "toposwap" in loaded
    assert not loaded & heavy


def test_the_estimator_loads_only_what_scikit_learn_and_numba_do():
    """scikit-learn loads pandas by itself where it is installed; the estimator adds nothing."""
    before = set(run(f"import sklearn.base, numba; {PRINT_LOADED}"))
    after = set(run(f"import toposwap; toposwap.Topo; {PRINT_LOADED}"))
    assert "toposwap.estimators.topo" in after
    added = {name.split(".")[0] for name in after - before}
    assert not added & {"torch", "matplotlib", "pandas", "networkx", "click", "rich", "pyarrow"}


def test_arrays_need_neither_pandas_nor_networkx():
    code = """
import json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "networkx", "matplotlib", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import numpy as np
import toposwap
X = np.random.default_rng(0).standard_normal((20, 3))
model = toposwap.Topo(search="paper").fit(X)
print(json.dumps([model.certificate_.satisfied, toposwap.check_kkt(model.weights_, X).satisfied]))
"""
    assert run(code) == [True, True]


def seconds(statement):
    return run(f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)")


def test_the_estimator_costs_little_more_than_what_it_is_built_on():
    """In the middle of several rounds, each of two runs one after the other on the same machine."""
    ratios = []
    # Two rounds settle it on a quiet machine.
    while len(ratios) < 2 or (len(ratios) < 6 and np.median(ratios) > 1.3):
        base = seconds("import sklearn.base, numba")
        ratios.append(seconds("import toposwap; toposwap.Topo") / base)
    assert np.median(ratios) <= 1.3
