"""What the page is given: figures against references, every score, and sizes."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.core.errors import InputError
from toposwap.report.checks import checks_of, residuals_of
from toposwap.report.checks.carried import carried_by_few
from toposwap.report.evidence import evidence_of
from toposwap.report.page.contents import page_contents
from toposwap.report.page.packed import packed
from toposwap.report.page.page import as_embedded


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4))
    X[:, 2] += X[:, 0] - 0.7 * X[:, 1]
    X[:, 3] += 0.5 * X[:, 2]
    return pd.DataFrame(X * [1, 10, 0.1, 1] + [5, 0, 0, -3], columns=list("abcd"))


@pytest.fixture(scope="module")
def model(rows):
    return ts.Topo("bic").fit(rows)


def test_intervals_and_evidence_are_those_of_statsmodels(model, rows):
    sm = pytest.importorskip("statsmodels.api")
    contents = page_contents(model, model._data)
    for edge, more in zip(contents["record"]["edges"], contents["edges"], strict=True):
        j = more["to"]
        parents = [rows.columns[i] for i in np.flatnonzero(model.adjacency_matrix_[:, j])]
        fit = sm.OLS(rows.iloc[:, j], sm.add_constant(rows[parents])).fit()
        low, high = fit.conf_int().loc[edge["source"]]
        assert (edge["given_low"], edge["given_high"]) == pytest.approx((low, high))
        others = [name for name in parents if name != edge["source"]]
        ones = np.ones((len(rows), 1))
        design = sm.add_constant(rows[others]) if others else ones
        without = sm.OLS(rows.iloc[:, j], design).fit()
        assert edge["evidence"] == pytest.approx(2.0 * (fit.llf - without.llf))


def test_residuals_are_least_squares_on_the_parents(model, rows):
    found = residuals_of(model, model._data)
    for j in range(4):
        parents = np.flatnonzero(found.edges[:, j])
        design = np.column_stack([np.ones(500), rows.to_numpy()[:, parents]])
        x = rows.to_numpy()[:, j]
        left = x - design @ np.linalg.lstsq(design, x, rcond=None)[0]
        assert found.left[:, j] == pytest.approx(left, abs=1e-9)


def test_rows_as_the_model_says_pass_every_check(model):
    assert [check.verdict for check in checks_of(residuals_of(model, model._data))] == ["holds"] * 4


def broken(kind, rng, n=2000):
    """Rows that break one assumption: x0 -> x1, x2 beside them."""
    X = rng.normal(size=(n, 3))
    noise = rng.normal(size=n)
    if kind == "Straight lines":
        X[:, 1] = X[:, 0] + 0.5 * X[:, 0] ** 2 + noise
    elif kind == "Normal noise":
        X[:, 1] = X[:, 0] + rng.exponential(size=n) ** 1.5
    elif kind == "Equal spread":
        X[:, 1] = X[:, 0] + np.exp(0.6 * X[:, 0]) * noise
    else:
        X[:, 1] = X[:, 0] + noise + 0.8 * X[:, 2]
    return X


@pytest.mark.parametrize(
    "kind", ["Straight lines", "Normal noise", "Equal spread", "Nothing left over"]
)
def test_each_check_finds_what_it_asks_for(kind):
    X = broken(kind, np.random.default_rng(0))
    knowledge = {"allowed": ["x0 -> x1"], "required": ["x0 -> x1"]}
    model = ts.Topo("bic", knowledge=knowledge).fit(pd.DataFrame(X, columns=["x0", "x1", "x2"]))
    by_name = {check.name: check for check in checks_of(residuals_of(model, model._data))}
    assert by_name[kind].verdict != "holds"
    assert by_name[kind].findings[0].column == 1


def test_an_edge_that_one_row_carries_is_found():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    X[17] = [25.0, 25.0]
    model = ts.Topo("bic").fit(X)
    assert np.count_nonzero(model.adjacency_matrix_) == 1
    residuals = residuals_of(model, model._data)
    evidence = evidence_of(model, model._data)
    (one,) = carried_by_few(residuals, evidence, 2.0 * np.log(200))
    assert one.rows == (17,)
    without = np.delete(X, 17, axis=0)
    assert one.weight == pytest.approx(
        np.polyfit(without[:, one.source], without[:, one.target], 1)[0]
    )


@pytest.mark.parametrize(
    "score", ["least-squares", "gaussian-l1", "logistic-bic", "poisson-bic", "basis-bic", "mlp"]
)
def test_every_kind_of_score_has_a_page(score, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    X[:, 2] += X[:, 0]
    if score == "logistic-bic":
        X = (X > 0.0).astype(float)
    if score == "poisson-bic":
        X = rng.poisson(np.exp(0.5 * np.clip(X, -2, 2))).astype(float)
    model = ts.Topo(score).fit(X)
    contents = page_contents(model, model._data)
    json.dumps(contents, allow_nan=False)
    assert len(contents["columns"]) == 3
    model.report(tmp_path / "p.html")


def test_without_rows_there_is_a_graph_and_no_check(model, rows, tmp_path):
    again = pickle.loads(pickle.dumps(model))
    again.report(tmp_path / "p.html")
    assert page_contents(again)["checks"] == []
    again.report(tmp_path / "q.html", X=rows)
    model.report(tmp_path / "r.html")
    assert (tmp_path / "q.html").read_bytes() == (tmp_path / "r.html").read_bytes()
    covariance = ts.Topo("bic").fit_covariance(np.cov(rows.T), 500)
    covariance.report(tmp_path / "s.html")
    with pytest.raises(InputError, match=r"end in \.html"):
        model.report(tmp_path / "graph.png")
    with pytest.raises(InputError, match="not those"):
        model.report(tmp_path / "p.html", X=rows.rename(columns={"a": "z"}))


def test_confidence_comes_through_narrow_doors(model, rows):
    class Found:
        probabilities = np.where(model.adjacency_matrix_ != 0.0, 0.75, 0.1)
        adjacent = np.full((4, 4), 0.9)

    for given in (Found(), Found.probabilities):
        contents = page_contents(model, confidence=given)
        assert contents["confident"]
        assert {edge["arrow"] for edge in contents["edges"]} == {0.75}
    with pytest.raises(InputError, match="confidence"):
        page_contents(model, confidence=np.ones((2, 2)))


def test_packed_values_come_back():
    x = np.random.default_rng(0).normal(size=50)
    import base64

    found = packed(x)
    steps = np.frombuffer(base64.b64decode(found["steps"]), "<u2")
    back = found["low"] + (found["high"] - found["low"]) * steps / 65535
    assert back == pytest.approx(x, abs=1e-4)


def test_nothing_in_embedded_json_can_end_the_script():
    text = as_embedded({"name": "</script>&\u2028\u2029\ud800"})
    assert not set(text) & set("<>&\u2028\u2029\ud800")
    assert json.loads(text)["name"] == "</script>&\u2028\u2029\ud800"


@pytest.mark.parametrize(
    ("d", "most"), [(100, 1e6), pytest.param(500, 5e6, marks=pytest.mark.thorough)]
)
def test_pages_are_small(d, most, tmp_path):
    sample = ts.simulate.linear_dataset(d, 1000, "ER2", random_state=0)
    ts.Topo("bic", n_restarts=0).fit(sample.X).report(tmp_path / "p.html")
    assert (tmp_path / "p.html").stat().st_size < most


def embedded(path):
    """The contents of a page, as its script reads them."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text.split('id="contents">')[1].split("</script>")[0])


def test_the_command_line_writes_the_page_with_what_it_said(rows, tmp_path, capsys):
    from toposwap.cli import run

    table = rows.assign(same=1.0)
    table.iloc[3, 0] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    page = tmp_path / "page.html"
    command = ["fit", str(tmp_path / "t.csv"), "--drop-missing", "--drop-unusable"]
    assert run([*command, "--report", str(page)]) == 0
    assert f"wrote {page}" in capsys.readouterr().out
    contents = embedded(page)
    assert contents["command"].startswith("toposwap fit ")
    by_title = {item["title"]: item["text"] for item in contents["audit"]}
    assert "1 of 500 rows have missing values" in by_title["Gaps"]
    assert "'same' (is constant)" in by_title["Columns left out"]
    assert run([*command, "--report", str(tmp_path / "page.png")]) == 2
    assert ".html" in capsys.readouterr().err


def test_rows_with_interventions_are_left_out_of_checks(rows):
    done = [None] * 250 + ["c"] * 250
    X = rows.copy()
    X.loc[250:, "c"] = np.random.default_rng(0).normal(40.0, 1.0, 250)
    model = ts.Topo("bic").fit(X, interventions=done)
    residuals = residuals_of(model, model._data)
    assert len(residuals.rows) == 250
    contents = page_contents(model, model._data)
    assert "250 of 500 rows" in next(
        item["text"] for item in contents["audit"] if item["title"] == "Interventions"
    )
    sm = pytest.importorskip("statsmodels.api")
    for edge in contents["record"]["edges"]:
        j = list(X.columns).index(edge["target"])
        parents = X.columns[model.adjacency_matrix_[:, j] != 0.0]
        # Those in which it was not set.
        own = X[:250] if edge["target"] == "c" else X
        fit = sm.OLS(own.iloc[:, j], sm.add_constant(own[parents])).fit()
        interval = fit.conf_int().loc[edge["source"]].tolist()
        assert [edge["given_low"], edge["given_high"]] == pytest.approx(interval)


def test_dependent_columns_and_few_rows_are_told(rows):
    X = rows.assign(copy=rows["a"] + 1e-3 * np.random.default_rng(0).normal(size=500))
    verdicts = {item["title"]: item["verdict"] for item in ts.Topo("bic").fit(X).audit()}
    assert verdicts["Columns that determine each other"] == "beware"
    few = {item["title"]: item["verdict"] for item in ts.Topo("bic").fit(rows[:15]).audit()}
    assert few["Enough rows?"] == "beware"


def test_ratings_have_odds_and_no_noise():
    rng = np.random.default_rng(2)
    x = rng.normal(size=400)
    rating = np.clip(np.rint(3.0 + 1.2 * x + rng.logistic(size=400)), 1, 5)
    table = pd.DataFrame({"x": x, "rating": rating.astype(int)})
    model = ts.Topo("blocks-bic", kinds={"rating": "ordinal"}).fit(table)
    contents = page_contents(model, model._data)
    (edge,) = contents["edges"]
    effect = contents["columns"][edge["to"]]
    assert edge["slope"]
    if effect["name"] == "rating":
        assert effect["equation"].startswith("log odds of a higher rating = ")
        assert (effect["real"], effect["scale"]) == (False, "log odds of a higher")
    residuals = residuals_of(model, model._data)
    assert residuals.real.tolist() == [True, False]
    normal = next(check for check in checks_of(residuals) if "ormal" in check.name)
    assert all(finding.column != 1 for finding in normal.findings)


def test_columns_are_told_as_the_score_took_them():
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    rating = np.clip(np.rint(3.0 + 1.2 * x + rng.logistic(size=300)), 1, 5).astype(int)
    code = np.digitize(x + rng.normal(size=300), [-0.5, 0.5])
    table = pd.DataFrame({"x": x, "rating": rating, "region": np.array([2, 1, 3])[code]})
    bic = ts.Topo("bic").fit(table)
    columns = page_contents(bic, bic._rows_at_hand())["columns"]
    assert [column["kind"] for column in columns] == ["continuous"] * 3
    assert "takes it for a measurement, though it looks ordinal" in columns[1]["reason"]
    auto = ts.Topo().fit(table)
    columns = page_contents(auto, auto._rows_at_hand())["columns"]
    assert [column["kind"] for column in columns] == ["continuous", "ordinal", "categorical"]
    assert columns[2]["reason"] == "a code by its name"


def test_a_budget_that_ends_early_is_told_with_its_time(rows):
    model = ts.Topo("blocks-bic", time_budget=1e-9).fit(rows)
    (told,) = [value for name, value in page_contents(model)["summary"] if name == "search"]
    if model.n_iter_ == 0:
        assert "the time sufficed for the starting order alone" in told
    assert f"{model._seconds:.2f} s" in told


def test_the_call_in_python_has_no_listener(rows):
    model = ts.Topo("bic", progress=lambda _: None).fit(rows)
    assert page_contents(model)["python"] == "Topo(score='bic').fit(table)"
