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
#: made of. A part may import what stands on a line below its own. A module that stands lower than
#: the rest of its package has a line of its own: what a learner or a score *is* comes before those
#: that there are.
#: Two halves of one contract: a bound score makes fits, and a fit knows its score.
CONTRACT = {"scores.base", "scores.strategy", "orderfit.base"}
LAYERS = (
    {"__main__"},
    {"cli"},
    {"experiments"},
    {"certainty"},
    {"report"},
    {"estimators"},
    {"intervention"},
    {"missing"},
    {"learn"},
    {"with_paths"},
    {"checkpoint"},
    {"baselines"},
    {"rehearsal"},
    {"estimators.base"},
    {"estimators.showing"},
    {"estimators.sklearn_api"},
    {"result"},
    {"pruning"},
    {"search"},
    {"pruning.base", "assess"},
    {"certificate", "candidates", "diagnostics"},
    {"scores", "acyclicity"},
    {"orderfit"},
    CONTRACT,
    {"losses", "penalties", "basis"},
    {"knowledge"},
    {"kernels"},
    {"core"},
    # The border knows nothing of the house but how it refuses.
    {"interop"},
    {"core.errors"},
)
#: Beside the learners: these may use only DATA, and only what a person runs may use them.
ASIDE = {"simulate", "metrics", "io", "data"}
DATA = {"core", "core.errors", "interop"}
#: Writes where a search stands.
CHECKPOINT = "checkpoint"
#: Reads files, and makes data sets of them.
STREAMS = "streams"


def part_of(module):
    """'toposwap.search.paper' -> 'search', 'toposwap.scores.base' -> 'scores.base'."""
    first, second = [*module.split("."), "", ""][1:3]
    return f"{first}.{second}" if f"{first}.{second}" in set().union(*LAYERS) else first


def allowed(part):
    """What ``part`` may import apart from itself."""
    if part in ASIDE:
        return DATA
    if part == STREAMS:
        return DATA | {"io"}
    if part == "core":
        # A data set can be asked to make itself of files, by those that read them.
        return {STREAMS, "core.errors", "interop"}
    height = next(k for k, layer in enumerate(LAYERS) if part in layer)
    below = set().union(*LAYERS[height + 1 :])
    if part in CONTRACT:
        return below | CONTRACT
    if part == CHECKPOINT:
        return below | {"io"}
    if part in {"cli", "experiments", "certainty", "report"}:
        return below | ASIDE | {STREAMS}
    # The one door up: a model shows itself by its reports.
    if part == "estimators.showing":
        return below | {"report"}
    # The equivalence class of what was learned.
    return (
        below | {"metrics"} if part in {"estimators", "estimators.base", "intervention"} else below
    )


def imports(source, module, *, is_package):
    """Everything of toposwap that ``source`` imports, anywhere in it, as parts."""
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
        found |= {part_of(name) for name in names if name.split(".")[0] == "toposwap"}
    return found


def upward(source, module, *, is_package=False):
    """The imports of ``module`` that its place does not allow."""
    part = part_of(module)
    return imports(source, module, is_package=is_package) - allowed(part) - {part}


MODULES = {
    ".".join(["toposwap", *path.relative_to(ROOT).with_suffix("").parts]): path
    for path in sorted(ROOT.rglob("*.py"))
    if path != ROOT / "__init__.py"
}


def test_imports_point_down():
    wrong = {}
    for module, path in MODULES.items():
        is_package = path.name == "__init__.py"
        name = module.removesuffix(".__init__")
        wrong[module] = upward(path.read_text(encoding="utf-8"), name, is_package=is_package)
    assert {module: found for module, found in wrong.items() if found} == {}


def test_everything_has_a_place():
    parts = {part_of(module) for module in MODULES}
    assert parts <= set().union(*LAYERS) | ASIDE | {STREAMS}


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
        ("from toposwap.losses import Loss", "toposwap.core.dataset", {"losses"}),
        ("from toposwap.scores.penalized import Penalized", "toposwap.orderfit.joint", {"scores"}),
        (
            "from toposwap.orderfit.base import OrderFit",
            "toposwap.penalties.base",
            {"orderfit.base"},
        ),
        # These are in order.
        ("from toposwap import __version__, Order", "toposwap.io.edges", set()),
        ("from .base import Search\nimport numpy", "toposwap.search.local", set()),
        ("from toposwap.scores.base import Point", "toposwap.orderfit.base", set()),
        ("from toposwap import metrics, Topo", "toposwap.cli.commands.fit", set()),
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


#: What takes longer to load than a small table takes to fit.
HEAVY = {"sklearn", "pandas", "networkx", "matplotlib", "torch", "pyarrow", "joblib"}


def heavy(modules, *more):
    """Those of ``modules`` that are of a heavy package, or of the modules ``more``."""
    return {name for name in modules if name.split(".")[0] in HEAVY or name in more}


@pytest.mark.parametrize(
    "name", ["Topo", "refine", "check_kkt", "Dataset", "metrics", "simulate", "InputError"]
)
def test_a_public_name_loads_neither_scikit_learn_nor_the_compiler(name):
    loaded = run(f"import toposwap; toposwap.{name}; {PRINT_LOADED}")
    assert "toposwap" in loaded
    assert not heavy(loaded, "scipy.stats", "click", "rich")
    if name not in ("refine", "check_kkt"):
        assert "numba" not in loaded
    if name in ("Topo", "Dataset"):
        assert "scipy" not in loaded


FIT = """
import numpy as np
import toposwap
X = np.random.default_rng(0).standard_normal((60, 3))
X[:, 0] = X[:, 0] > 0.0
model = toposwap.Topo({score!r}, prune={prune!r}).fit(X > 0.0 if "logistic" in {score!r} else X)
model.predict(X), model.cpdag_, model.causal_order_, bool(model.certificate_), repr(model)
"""


@pytest.mark.parametrize(
    ("score", "prune"),
    [
        pytest.param("least-squares", "auto", marks=pytest.mark.thorough),
        ("least-squares", "bic"),
        ("auto", "auto"),
        ("logistic-bic", "auto"),
        pytest.param("basis", "auto", marks=pytest.mark.thorough),
    ],
)
def test_fitting_an_array_loads_nothing_that_it_does_not_use(score, prune):
    code = FIT.format(score=score, prune=prune)
    loaded = run(f"import warnings; warnings.simplefilter('ignore'); {code}\n{PRINT_LOADED}")
    assert "numba" in loaded
    assert not heavy(loaded, "scipy.stats", "scipy.optimize", "scipy.sparse", "click", "rich")
    # Of the families of scores only that which is used, with its kernels.
    assert "toposwap.kernels.mlp.network" not in loaded
    assert ("toposwap.scores.additive" in loaded) == (score == "basis")


def test_fitting_a_small_file_loads_nothing_that_it_does_not_use(tmp_path):
    table = np.random.default_rng(0).standard_normal((40, 3))
    file = tmp_path / "small.csv"
    np.savetxt(file, table, delimiter=",", header="a,b,c", comments="")
    code = f"""
import contextlib, io
from toposwap.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    assert run(["fit", {str(file)!r}]) == 0
"""
    loaded = run(f"{code}\n{PRINT_LOADED}")
    assert not heavy(loaded, "scipy.stats", "scipy.optimize", "scipy.sparse", "scipy.special")
    assert "toposwap.report.text" in loaded
    assert "toposwap.report.plot.graph" not in loaded


def test_arrays_need_neither_scikit_learn_nor_pandas_nor_networkx():
    code = """
import json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "pandas", "networkx", "matplotlib", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import numpy as np
import toposwap
X = np.random.default_rng(0).standard_normal((20, 3))
model = toposwap.Topo(search="paper").fit(X)
print(json.dumps([model.certificate_.satisfied, toposwap.check_kkt(model.weights_, X).satisfied]))
"""
    assert run(code) == [True, True]
