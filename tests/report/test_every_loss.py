"""Whatever the loss, the edges can be told: records, files, pages and the table of evidence."""

import pytest
from tables import suited_to

import toposwap as ts
from toposwap.losses import LOSSES
from toposwap.penalties import L1
from toposwap.report.record import record_of, write_result
from toposwap.scores import Penalized


@pytest.mark.filterwarnings("ignore::toposwap.ToposwapWarning")
@pytest.mark.parametrize("loss", LOSSES)
def test_a_fit_is_told(loss, tmp_path):
    score = Penalized(loss, L1(0.01))
    table = suited_to(score, 0, 4)
    model = ts.Topo(score).fit(table)
    told = record_of(model)["edges"]
    assert len(told) == (model.adjacency_matrix_ != 0.0).sum() > 0
    assert all(edge["parameters"] == 1 for edge in told)
    write_result(tmp_path / "graph.csv", model, len(table))
    assert len((tmp_path / "graph.csv").read_text().splitlines()) == 1 + len(told)
    model.report(tmp_path / "page.html")
    assert len(ts.evidence(model, table)) == len(told)
