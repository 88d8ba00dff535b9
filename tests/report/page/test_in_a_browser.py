"""The report does what it offers, shows what the JSON says, and lets no name out of its text."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import toposwap as ts
from toposwap.report import record_of

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "<svg onload=alert(2)>",
    "'\"><b onclick=alert(3)>&amp;",
    "{{7*7}} ${alert(4)} \u2028\u2029",
    "\u202eevil\u0000",
]

CLICK = "(what) => document.querySelector(what).dispatchEvent(new MouseEvent('click'))"
#: Where on the screen a path has its middle.
MIDDLE = """(what) => {
  const path = document.querySelector(what);
  const point = path.getPointAtLength(path.getTotalLength() / 2);
  const at = new DOMPoint(point.x, point.y).matrixTransform(path.getScreenCTM());
  return [at.x, at.y];
}"""
SLIDE = """(value) => {
  const slider = document.getElementById("slider");
  slider.value = value;
  slider.dispatchEvent(new Event("input"));
}"""


def table(names, n=400, seed=0):
    """A chain of all columns, with a second cause where there is room for one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(names)))
    for j in range(1, len(names)):
        X[:, j] += (1.0 if j % 2 else -0.8) * X[:, j - 1]
        if j > 2:
            X[:, j] += 0.6 * X[:, j - 3]
    return pd.DataFrame(X, columns=names)


@pytest.fixture(scope="module")
def model():
    knowledge = ts.Knowledge(
        tiers=[["a", "b"], ["*"]], required=["a -> b"], forbidden=["a -> e", "f -> e"]
    )
    return ts.Topo("bic", knowledge=knowledge).fit(table(list("abcdef")))


@pytest.fixture(scope="module")
def probabilities(model):
    found = 0.9 * (model.adjacency_matrix_ != 0.0)
    found[found.nonzero()[0][0], found.nonzero()[1][0]] = 0.4
    return pd.DataFrame(found, index=model.names_, columns=model.names_)


@pytest.fixture(scope="module")
def path(model, probabilities, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "graph.html"
    model.report(file, confidence=probabilities, title="Six columns")
    return file


@pytest.fixture
def opened(open_page, path):
    return open_page(path)


def shown(cell):
    return float(cell.replace("−", "-"))


def test_numbers_on_the_page_are_those_of_the_model(opened, model):
    page, record = opened.page, json.loads(json.dumps(record_of(model, 400)))
    assert opened.contents["record"] == record
    rows = page.locator("#edges tbody tr")
    assert rows.count() == len(record["edges"]) == np.count_nonzero(model.adjacency_matrix_)
    for k, edge in enumerate(record["edges"]):
        cells = rows.nth(k).locator("td").all_inner_texts()
        assert cells[:2] == [edge["source"], edge["target"]]
        assert math.isclose(shown(cells[2]), edge["weight"], rel_tol=1e-3)
        assert math.isclose(shown(cells[3]), edge["standardised"], rel_tol=1e-3)
        assert shown(cells[4]) <= edge["weight"] <= shown(cells[5])
    assert "6 columns, learned from 400 rows" in page.inner_text("#headline")


def test_the_slider_hides_edges_by_confidence_and_by_strength(opened, model):
    page, everything = opened.page, np.count_nonzero(model.adjacency_matrix_)
    count = lambda: page.locator("#graph .edge").count()  # noqa: E731
    assert count() == everything
    page.evaluate(SLIDE, 500)
    assert count() == everything - 1
    assert "90 %" in page.inner_text("#slider-value")
    page.select_option("#by", "strength")
    page.evaluate(SLIDE, 999)
    assert count() == 1
    strongest = opened.contents["record"]["edges"][0]
    label = page.get_attribute("#graph .edge", "aria-label")
    assert label.startswith(f"{strongest['source']} ")
    page.evaluate(SLIDE, 0)
    assert count() == everything


def test_a_column_is_found_clicked_and_left_by_keys(opened, model):
    page = opened.page
    page.keyboard.press("/")
    page.keyboard.type("d")
    page.keyboard.press("Enter")
    assert page.inner_text("#panel h3 >> nth=0") == "d"
    assert page.inner_text("#panel .equation").startswith("d = ")
    assert page.locator("#panel svg.plot .bar").count() > 5
    page.locator("#graph .node[data-column='3']").focus()
    page.keyboard.press("ArrowUp")
    cause = next(e for e in opened.contents["record"]["edges"] if e["target"] == "d")["source"]
    focused = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert focused.startswith(f"{cause}: ")
    page.keyboard.press("Enter")
    assert page.inner_text("#panel h3 >> nth=0") == cause
    page.keyboard.press("Escape")
    assert page.inner_text("#panel h3 >> nth=0") == "The strongest edges"


def test_an_edge_tells_its_numbers(opened):
    page, contents = opened.page, opened.contents
    page.mouse.click(*page.evaluate(MIDDLE, "#graph .edge[data-edge='0'] .shaft"))
    text = page.inner_text("#panel")
    edge = contents["record"]["edges"][0]
    assert f"{edge['source']} → {edge['target']}" in text.replace("—", "→").replace("\n", " ")
    assert "95 % interval" in text
    assert "% that there is an edge" in text
    assert edge["given_low"] < edge["weight"] < edge["given_high"]
    assert page.locator("#panel svg.plot .dot").count() == 400
    assert page.locator("#edges tr.chosen").count() == 1


def test_paths_have_the_total_effect_of_the_weights(opened, model):
    page = opened.page
    page.fill("#path-from", "a")
    page.fill("#path-to", "f")
    page.click("#path-show")
    W = model.adjacency_matrix_
    total = np.linalg.inv(np.eye(len(W)) - W)[0, 5]
    told = page.inner_text("#panel dl dd >> nth=0")
    assert math.isclose(shown(told), total, rel_tol=1e-3)
    assert page.locator("#graph .node.on-path").count() >= 3
    page.fill("#path-from", "f")
    page.fill("#path-to", "a")
    page.click("#path-show")
    assert "No directed path" in page.inner_text("#panel")


def test_arrowheads_follow_the_switch(open_page, tmp_path):
    model = ts.Topo("bic").fit(table(["x", "y"]))
    model.report(tmp_path / "two.html")
    page = open_page(tmp_path / "two.html").page
    head = lambda: page.get_attribute("#graph .edge .shaft", "marker-end")  # noqa: E731
    assert head() is None
    page.click("#mode-dag")
    assert "hollow" in head()
    page.click("#mode-class")
    assert head() is None


def test_knowledge_is_shown(opened):
    page = opened.page
    assert page.locator("#graph .band").count() == 2
    assert page.locator("#graph .pin").count() == 1
    assert page.locator("#graph .forbidden").count() == 2
    page.uncheck("#forbidden")
    assert page.locator("#graph .forbidden").count() == 0


def test_light_dark_and_print(open_page, path):
    colour = "() => getComputedStyle(document.body).backgroundColor"
    dark = open_page(path, color_scheme="dark").page
    light = open_page(path, color_scheme="light").page
    night, day = dark.evaluate(colour), light.evaluate(colour)
    assert night != day
    light.click("#theme")
    assert light.evaluate(colour) == night
    light.click("#theme")
    assert light.evaluate(colour) == day
    dark.emulate_media(media="print", color_scheme="dark")
    assert dark.evaluate(colour) == "rgb(255, 255, 255)"
    assert not dark.is_visible(".toolbar")
    assert dark.is_visible("#edges table")


def test_zoom_and_pan(opened):
    page = opened.page
    box = lambda: [float(t) for t in page.get_attribute("#graph", "viewBox").split()]  # noqa: E731
    before = box()
    page.click("#zoom-in")
    assert box()[2] < before[2]
    page.click("#zoom-fit")
    assert box() == before
    frame = page.locator("#graph").bounding_box()
    page.mouse.move(frame["x"] + 12, frame["y"] + 12)
    page.mouse.down()
    page.mouse.move(frame["x"] + 112, frame["y"] + 62, steps=3)
    page.mouse.up()
    assert box()[0] < before[0]
    assert box()[2:] == before[2:]


def test_downloads(opened, model):
    page = opened.page

    def saved(button):
        with page.expect_download() as waiting:
            page.click(button)
        with open(waiting.value.path(), "rb") as file:
            return waiting.value.suggested_filename, file.read()

    name, csv = saved("#save-csv")
    assert name == "edges.csv"
    assert len(csv.decode().splitlines()) == 1 + np.count_nonzero(model.adjacency_matrix_)
    name, text = saved("#save-json")
    assert (name, json.loads(text)) == ("result.json", opened.contents["record"])
    name, picture = saved("#save-svg")
    assert name == "graph.svg"
    assert b"<svg" in picture
    assert b"var(--" not in picture.replace(b'fill="var(--paper)"', b"")
    name, picture = saved("#save-png")
    assert name == "graph.png"
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000


def test_the_table_is_sorted_and_copied(opened):
    page = opened.page
    weights = "#edges tbody td:nth-child(3)"
    page.click("#edges th button >> text=weight")
    sizes = [abs(shown(cell)) for cell in page.locator(weights).all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    assert page.get_attribute("#edges th >> nth=2", "aria-sort") == "descending"
    page.click("#edges th button >> text=weight")
    sizes = [abs(shown(cell)) for cell in page.locator(weights).all_inner_texts()]
    assert sizes == sorted(sizes)
    page.fill("#edges input[type=search]", "zzz")
    assert page.locator("#edges tbody tr").count() == 0


def accessible(page):
    """(role, name, properties) of what a screen reader is given."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        if not node.get("ignored"):
            known = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            yield node["role"].get("value"), node.get("name", {}).get("value", ""), known


def test_everything_that_takes_the_focus_has_a_name_and_an_order(opened, model):
    page = opened.page
    tree = list(accessible(page))
    assert not [role for role, name, known in tree if known.get("focusable") and not name]
    assert not [role for role, name, _ in tree if role in ("image", "table") and not name]
    buttons = {name: known for role, name, known in tree if role == "button"}
    assert buttons["Whole graph"]["pressed"] == "true"
    assert buttons["Surroundings"]["pressed"] == "false"
    assert {role for role, *_ in tree} >= {"main", "banner", "complementary", "status", "slider"}
    assert sum(role == "columnheader" for role, *_ in tree) > 10
    edge = record_of(model)["edges"][0]
    assert any(name.startswith(f"{edge['source']} to {edge['target']}: ") for name in buttons)
    # From the top: the way past everything, tools, the graph with its boxes, details, the table.
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "() => { const at = document.activeElement; return at.closest('#graph') ? 'graph' :"
                " at.closest('#panel') ? 'panel' : at.closest('#edges') ? 'edges' :"
                " at.className === 'skip' ? 'skip' : 'tools'; }"
            )
        )
    order = [part for k, part in enumerate(reached) if k == 0 or part != reached[k - 1]]
    assert order[:5] == ["skip", "tools", "graph", "panel", "edges"]
    assert reached.count("graph") == 1 + len(model.names_)


def test_an_edge_between_categories_is_told_value_by_value(open_page, tmp_path):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=300)
    size = rng.normal(size=300) + 2.0 * (colour == "red") - (colour == "blue")
    rating = np.digitize(size + rng.logistic(size=300), [-1.0, 0.5, 2.0])
    X = pd.DataFrame({"colour": colour, "size": size, "rating": rating})
    known = ts.Knowledge(tiers=[["colour"], ["size"], ["rating"]])
    model = ts.Topo("blocks-bic", knowledge=known, kinds={"rating": "ordinal"}).fit(X)
    model.report(tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    edges = opened.contents["record"]["edges"]
    place = next(k for k, edge in enumerate(edges) if edge["source"] == "colour")
    opened.page.click(f"#edges tr[data-edge='{place}'] .number")
    text = opened.page.inner_text("#panel")
    assert "the price of its 2 parameters" in text
    told = opened.page.locator("#panel .small-table").first.inner_text()
    low, high = edges[place]["given_low"], edges[place]["given_high"]
    assert 0.0 < low < edges[place]["weight"] < high
    assert [line.split()[0] for line in told.splitlines()[-3:]] == ["blue", "green", "red"]
    assert "parameters" in opened.page.inner_text("#edges thead")
    # A mark at each value, and no line between them.
    marks = opened.page.locator("#panel svg.plot path.fit").count()
    assert marks == (3 if edges[place]["target"] == "size" else 0)
    dots = opened.page.evaluate(
        "() => Array.from(document.querySelectorAll('#panel svg.plot .dot'),"
        " (dot) => Number(dot.getAttribute('cx')))"
    )
    assert np.isfinite(dots).all()
    assert len(set(dots)) == marks


def test_hostile_names_are_text(open_page, tmp_path):
    model = ts.Topo("bic").fit(table(HOSTILE))
    model.report(tmp_path / "x.html", title=HOSTILE[0])
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert text.count("</script>") == 2
    opened = open_page(tmp_path / "x.html")
    page = opened.page
    assert [column["name"] for column in opened.contents["columns"]] == HOSTILE
    assert page.locator("img, b, iframe").count() == 0
    assert page.inner_text("#title") == HOSTILE[0]
    for k in range(len(HOSTILE)):
        page.evaluate(CLICK, f".node[data-column='{k}']")
    assert page.inner_text("#panel h3 >> nth=0") == "\\u202eevil\\u0000"
    for k in range(len(opened.contents["edges"])):
        page.evaluate(CLICK, f".edge[data-edge='{k}']")
    with page.expect_download():
        page.click("#save-svg")
    assert page.evaluate("() => document.querySelectorAll('script').length") == 2


def test_many_columns_begin_with_the_surroundings_of_one(open_page, tmp_path):
    sample = ts.simulate.linear_dataset(60, 300, "ER2", random_state=0)
    model = ts.Topo("bic", n_restarts=0).fit(sample.X)
    model.report(tmp_path / "many.html")
    opened = open_page(tmp_path / "many.html")
    page, contents = opened.page, opened.contents
    assert contents["first"] == "near"
    degree = np.count_nonzero(model.adjacency_matrix_, axis=0)
    degree += np.count_nonzero(model.adjacency_matrix_, axis=1)
    assert page.locator("#graph .node").count() == degree.max() + 1
    page.click("[data-view=clusters]")
    assert page.locator("#graph .node").count() == len(contents["clusters"]) > 1
    page.locator("#graph [data-cluster='0']").dispatch_event("click")
    assert page.locator("#graph .node").count() == len(contents["clusters"][0]["columns"])
    page.click("[data-view=whole]")
    assert page.locator("#graph .edge").count() == len(contents["whole"]["edges"])


def test_a_crowd_of_causes_and_a_path_among_many_columns(open_page, tmp_path):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 60))
    X[:, 40] += X[:, :30].sum(axis=1)
    X[:, 41] += X[:, 40]
    names = [f"c{k}" for k in range(60)]
    model = ts.Topo("bic", n_restarts=0).fit(pd.DataFrame(X, columns=names))
    model.report(tmp_path / "crowd.html")
    opened = open_page(tmp_path / "crowd.html")
    page = opened.page
    page.click("[data-view=near]")
    page.fill("#search", "c40")
    page.press("#search", "Enter")
    assert "the 24 strongest shown" in page.text_content("#graph")
    assert "c40" in page.text_content("#announced")
    causes = np.count_nonzero(model.adjacency_matrix_[:, 40])
    effects = np.count_nonzero(model.adjacency_matrix_[40])
    assert page.locator("#graph .node[data-column]").count() == 1 + 24 + effects
    page.locator("#graph [data-more]").dispatch_event("click")
    assert page.locator("#graph .node[data-column]").count() == 1 + causes + effects
    way = next(e for e in opened.contents["record"]["edges"] if "c40" in (e["source"], e["target"]))
    page.fill("#path-from", way["source"])
    page.fill("#path-to", way["target"])
    page.click("#path-show")
    on_path = page.locator("#graph .node.on-path").count()
    assert on_path >= 2
    if opened.contents["first"] == "near":
        assert page.locator("#graph .node").count() == on_path
    page.keyboard.press("Escape")
    # What is marked in the table is what was chosen, without drawing it again.
    page.locator("#graph .node[data-column='40']").first.dispatch_event("click")
    assert page.locator("#edges tr.chosen").count() == causes + effects
