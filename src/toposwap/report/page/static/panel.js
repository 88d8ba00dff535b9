// What was chosen, in words: a column, an edge, a path, a cluster.
const panel = byId("panel");
function say(...children) {
  panel.replaceChildren(...children.flat(Infinity).filter(Boolean));
  // A screen reader is told what is there now, and reads the rest if it is wanted.
  byId("announced").textContent = (panel.querySelector("h3, p") || panel).textContent;
}
const priceOf = (edge) => !contents.price ? "" : edge.parameters > 1 ? ` (the price of its ${edge.parameters} parameters is ${number(edge.parameters * contents.price, 3)})` : ` (the price of an edge is ${number(contents.price, 3)})`;
const fact = (list, name, value) => { if (value !== null && value !== undefined && value !== "") list.append(el("dt", {}, name), el("dd", {}, value)); };

function choose(v) {
  Object.assign(state, { chosen: v, edge: null, path: null });
  if (state.view === "path") state.view = "near";
  const keep = state.view === "near" ? state.focus === v : page.places.has(v);
  if (state.view === "near" || !page.places.has(v)) { if (state.view !== "near" && !(state.view === "whole" && page.places.has(v))) state.view = "near"; state.focus = v; }
  render(keep);
  reveal([v]);
  showColumn(v);
  page.markRows();
}
function chooseEdge(k) {
  const edge = edges[k];
  Object.assign(state, { chosen: null, edge: k, path: null });
  if (state.least > measure(edge)) { state.least = 0; byId("slider").value = 0; }
  const there = page.places.has(edge.from) && page.places.has(edge.to) && (state.view !== "near" || edge.from === state.focus || edge.to === state.focus);
  if (!there || state.view === "clusters" || state.view === "path") { state.view = "near"; state.focus = edge.to; }
  render(there);
  reveal([edge.from, edge.to]);
  showEdge(edge);
  page.markRows();
}
page.choose = choose;
page.chooseEdge = chooseEdge;

function edgeLine(edge, end) {
  return el("li", {}, columnLink(edge[end]), " ", el("button", { type: "button", class: `link number ${signClass(edge)}`, title: "this edge", "aria-label": `${arrowText(edge, " to ")}: ${number(edge.weight)}`, click: () => chooseEdge(edge.number) }, number(edge.weight)),
    edge.standardised === null ? "" : ` (${number(edge.standardised, 3)} standardised)`, edge.open ? ", direction open" : "");
}
function edgeItems(list, end, none) {
  if (!list.length) return el("p", { class: "note" }, none);
  const shown = list.slice(0, 12).map((edge) => edgeLine(edge, end));
  const items = el("ul", { class: "plain" }, shown);
  if (list.length > 12) items.append(el("li", {}, el("button", { type: "button", class: "link", click: (event) => event.target.parentNode.replaceWith(...list.slice(12).map((edge) => edgeLine(edge, end))) }, `and ${list.length - 12} more`)));
  return items;
}
function showColumn(v) {
  const column = columns[v], facts = el("dl");
  if (column.kind) fact(facts, "kind", column.kind + (column.given ? " (given)" : " (guessed: " + column.reason + ")"));
  if (column.levels) fact(facts, "values", column.levels.map((level, k) => `${k} = ${level}`).join(", "));
  const codes = column.kind === "categorical";
  if (!codes) fact(facts, "mean, sd", column.mean === undefined ? "" : `${number(column.mean)}, ${number(column.sd)}`);
  if (column.quartiles && !codes) fact(facts, "quartiles", column.quartiles.map((q) => number(q)).join(" · "));
  if (column.missing) fact(facts, "missing", plural(column.missing, "row"));
  if (column.explained !== undefined && into[v].length && !codes) fact(facts, "explained", percent(column.explained) + " of its variance, by its causes");
  const knowledge = contents.knowledge, tier = knowledge ? knowledge.tiers.findIndex((group) => group.includes(v)) : -1;
  if (tier >= 0) fact(facts, "tier", String(tier + 1));
  say(
    el("h3", {}, column.name),
    state.view === "near" ? null : el("p", {}, el("button", { type: "button", click: () => { state.view = "near"; state.focus = v; render(); } }, "Show its surroundings")),
    facts, histogram(v),
    el("h3", {}, "How it is made"), el("p", { class: "equation" }, column.equation),
    el("h3", {}, `Causes (${into[v].length})`), edgeItems(into[v], "from", "none in this graph"),
    el("h3", {}, `Effects (${outOf[v].length})`), edgeItems(outOf[v], "to", "none in this graph"),
    forbiddenOf(v),
  );
}
function forbiddenOf(v) {
  if (!contents.knowledge) return null;
  const found = contents.knowledge.forbidden.filter(([i, j]) => i === v || j === v);
  if (!found.length) return null;
  return [el("h3", {}, "Forbidden"), el("ul", { class: "plain" }, found.slice(0, 12).map(([i, j]) => el("li", {}, `${nameOf(i)} → ${nameOf(j)}`)), found.length > 12 ? el("li", {}, `and ${found.length - 12} more`) : null)];
}
function showEdge(edge) {
  const effect = columns[edge.to], facts = el("dl");
  fact(facts, "weight", number(edge.weight, 5));
  fact(facts, "standardised", number(edge.standardised, 4));
  if (hasInterval(edge)) fact(facts, "95 % interval", `${number(edge.given_low)} to ${number(edge.given_high)}`);
  if (edge.sure !== undefined) { fact(facts, "confidence", percent(edge.sure) + " that there is an edge"); fact(facts, "", percent(edge.arrow) + " in this direction"); }
  if (hasEvidence(edge)) fact(facts, "evidence", `twice the log-likelihood falls by ${number(edge.evidence)} without it` + priceOf(edge));
  if (hasEvidence(edge) && !hasInterval(edge)) fact(facts, "95 % interval", "none: values are told apart perfectly, or causes determine each other, so that the weight has no end or no meaning of its own");
  if (edge.part !== undefined) fact(facts, "evidence", percent(edge.part) + " of what would be left over without it is explained by it");
  fact(facts, "direction", edge.open ? "open: the data fit as well the other way round" : edge.reversible ? "rests on the form of the model alone: independences leave it open" : "follows from the data if the model holds");
  if (edge.required) fact(facts, "knowledge", "required" + (edge.against ? "; the data alone would not have it" : ""));
  if (edge.carried) fact(facts, "beware", `hangs on ${plural(edge.carried.rows, "row")}: without, the weight is ${number(edge.carried.weight)} and it brings ${number(edge.carried.gain, 3)}`);
  const more = `${number(Math.abs(edge.weight))} ${edge.weight < 0 ? "less" : "more"}`, equal = "its other causes being equal";
  const words = edge.slope && effect.scale
    ? `A unit more of ${nameOf(edge.from)} ${edge.weight < 0 ? "takes" : "adds"} ${number(Math.abs(edge.weight))} ${edge.weight < 0 ? "from" : "to"} the ${effect.scale} ${nameOf(edge.to)}, ${equal}.`
    : edge.slope && effect.real !== undefined ? `A unit more of ${nameOf(edge.from)} goes with ${more} of ${nameOf(edge.to)}, ${equal}.`
    : edge.table || effect.real === undefined || effect.scale || columns[edge.from].kind === "categorical"
    ? `How ${nameOf(edge.to)} is distributed depends on ${nameOf(edge.from)}; the weight says how much.`
    : `${nameOf(edge.to)} follows ${nameOf(edge.from)} along a curve; the weight is its size.`;
  const plot = scatter(edge);
  say(
    el("h3", {}, columnLink(edge.from), edge.open && state.mode === "class" ? " — " : " → ", columnLink(edge.to)),
    el("p", {}, words), facts, edge.by_value ? valuesTable(edge) : null, edge.table ? sharesTable(edge) : plot,
    plot && !edge.table ? el("p", { class: "note" }, (columns[edge.from].kind === "categorical" ? "The fitted value of each" : edge.curve ? "The fitted curve" : "The fitted line") + " with the rows (some of them where there are many), the other causes held at their mean.") : null,
    hasInterval(edge) ? el("p", { class: "note" }, "The interval takes this graph as given. The graph was chosen with the same rows, so that it is too narrow." + filledIn) : null,
  );
}
/** A table that is wider than the panel is scrolled, by keys too; what it is stands above it. */
function smallTable(words, heads, rows) {
  return el("div", { class: "small-table" }, el("p", { class: "note" }, words), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words }, el("table", {},
    el("caption", { class: "hidden" }, words),
    el("thead", {}, el("tr", {}, heads.map((head, k) => el("th", { class: k ? "n" : null, scope: "col" }, head)))),
    el("tbody", {}, rows.map(([name, ...cells]) => el("tr", {}, el("th", { scope: "row" }, name), cells.map((cell) => el("td", { class: "n" }, cell))))))));
}
/** What each value of a category adds, or what a number adds to each value, with intervals. */
function valuesTable(edge) {
  const { cause_values: causes, effect_values: effects, weights, errors } = edge.by_value, to = nameOf(edge.to), from = nameOf(edge.from);
  const scale = effects ? "logarithm of the chance of each " + to : (columns[edge.to].scale ? columns[edge.to].scale + " " : "") + to;
  const words = `What ${causes ? "each " + from : "a unit more of " + from} adds to the ${scale}, about the average, with 95 % intervals`;
  const cell = (k, l) => [number(weights[k][l], 3), errors[k][l] === null ? "" : el("span", { class: "note" }, ` ± ${number(1.96 * errors[k][l], 2)}`)];
  if (!causes) return smallTable(words, [to, "adds"], effects.map((name, l) => [name, cell(0, l)]));
  return smallTable(words, [from, ...(effects || ["adds"])], causes.map((name, k) => [name, ...weights[k].map((_, l) => cell(k, l))]));
}
/** Shares of the values of the effect for each value of the cause. */
function sharesTable(edge) {
  const { causes, effects, counts } = edge.table;
  return smallTable(`Shares of ${nameOf(edge.to)} for each ${nameOf(edge.from)}, whatever its other causes are`, [nameOf(edge.from), ...effects, "rows"], causes.map((name, k) => {
    const total = counts[k].reduce((a, b) => a + b, 0);
    return [name, ...counts[k].map((count) => percent(count / total) || "0 %"), total];
  }));
}
function showPath(a, b) {
  const found = pathsBetween(a, b);
  Object.assign(state, { chosen: null, edge: null, path: null });
  if (!found.length) {
    render(true);
    say(el("h3", {}, `${nameOf(a)} to ${nameOf(b)}`), el("p", {}, "No directed path leads from the first to the second" + (pathsBetween(b, a).length ? "; the other way round there is one." : ".")));
    return;
  }
  state.path = { from: a, to: b, columns: new Set([a, b]), edges: new Set() };
  const total = totalEffect(a, b, "weight"), standard = totalEffect(a, b, "standardised");
  const product = (path, key) => path.reduce((p, edge) => p * (edge[key] ?? NaN), 1);
  const strength = (path) => Math.abs(product(path, contents.by_standardised ? "standardised" : "weight")) || 0;
  const sorted = [...found].sort((p, q) => strength(q) - strength(p));
  // A large graph has no room for all its columns around the paths.
  const large = contents.first !== "whole", drawn = large ? sorted.slice(0, 15) : found;
  for (const path of drawn) for (const edge of path) { state.path.edges.add(edge.number); state.path.columns.add(edge.from); state.path.columns.add(edge.to); }
  state.path.part = drawn.length < found.length;
  state.least = 0; byId("slider").value = 0;
  state.view = large ? "path" : "whole";
  render(false);
  const facts = el("dl");
  fact(facts, "total effect", total === null ? "not a number: effects on the way are curves, odds or counts, which do not multiply" : number(total, 5));
  if (standard !== null) fact(facts, "standardised", number(standard, 4));
  say(
    el("h3", {}, `${nameOf(a)} to ${nameOf(b)}`),
    el("p", {}, total === null ? "" : `If ${nameOf(a)} were set one unit higher, ${nameOf(b)} would change by ${number(total)}, if this graph is right.`),
    facts,
    el("h3", {}, found.length >= MOST_PATHS ? `More than ${MOST_PATHS} paths` : plural(found.length, "path")),
    el("ul", { class: "plain" }, sorted.slice(0, 15).map((path) => el("li", {}, [nameOf(a), ...path.map((edge) => nameOf(edge.to))].join(" → "), total === null ? "" : el("span", { class: "number" }, `  (${number(product(path, "weight"))})`)))),
    sorted.length > 15 ? el("p", { class: "note" }, `and ${sorted.length - 15} weaker ones`) : null,
  );
}
page.showPath = showPath;
page.showCluster = (k) => {
  Object.assign(state, { view: "cluster", cluster: k, chosen: null, edge: null, path: null });
  render();
  const group = contents.clusters[k].columns, inside = new Set(group);
  const leaving = edges.filter((edge) => inside.has(edge.from) !== inside.has(edge.to));
  say(
    el("h3", {}, `Cluster of ${plural(group.length, "column")}`),
    el("p", {}, el("button", { type: "button", click: () => page.setView("clusters") }, "Back to all clusters")),
    el("ul", { class: "plain" }, group.map((v) => el("li", {}, columnLink(v)))),
    el("h3", {}, `Edges to other clusters (${leaving.length})`),
    el("ul", { class: "plain" }, leaving.slice(0, 30).map((edge) => el("li", {}, edgeLink(edge)))),
  );
};
page.showNothing = () => {
  const strongest = edges.slice(0, 8);
  say(
    el("h3", {}, "The strongest edges"),
    strongest.length ? el("ul", { class: "plain" }, strongest.map((edge) => el("li", {}, edgeLink(edge), " ", el("span", { class: `number ${signClass(edge)}` }, number(edge.weight))))) : el("p", {}, "This graph has no edges."),
    el("p", { class: "note" }, "Click a box or an arrow, or search a column, to read more here."),
  );
};
