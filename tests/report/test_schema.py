"""Every result file is what its schema says."""

import json
from importlib.resources import files

import numpy as np
import pytest

import toposwap as ts
from toposwap.report import write_result
from toposwap.report.record import FORMAT

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads(files("toposwap.io").joinpath("schemas", f"{FORMAT[9:]}.json").read_text())


def rows(seed=0):
    X = np.random.default_rng(seed).normal(size=(150, 4))
    X[:, 2] += X[:, 0] + X[:, 1]
    return X


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"score": "least-squares"},
        {"score": "least-squares", "search": "paper"},
        {"score": "gaussian-l1", "prune": None},
        {"search": "exact"},
        {"search": "none", "init": [3, 2, 1, 0]},
        {"knowledge": {"tiers": [[0], ["*"]], "required": [(0, 3)]}},
        {"score": "basis-bic"},
        {"score": "least-squares", "prune": "bic"},
    ],
    ids=str,
)
def test_result_files_validate(settings, tmp_path):
    model = ts.Topo(**settings).fit(rows())
    write_result(tmp_path / "r.json", model, 150)
    record = json.loads((tmp_path / "r.json").read_text())
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(record)


def test_the_schema_refuses_what_is_none(tmp_path):
    model = ts.Topo().fit(rows())
    write_result(tmp_path / "r.json", model, 150)
    record = json.loads((tmp_path / "r.json").read_text())
    for broken in (
        {**record, "format": "toposwap-result-2"},
        {**record, "edges": [{"source": "a"}]},
        {key: value for key, value in record.items() if key != "certificate"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)
