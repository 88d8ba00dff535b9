// Everything around the graph.
const badge = (verdict) => el("span", { class: `badge ${verdict}` }, verdict);
function buildWords() {
  const body = byId("words-body"), facts = el("dl");
  for (const sentence of contents.certificate) body.append(el("p", {}, sentence));
  for (const [name, value] of contents.summary) fact(facts, name, value);
  body.append(facts);
}
/** The numbers that stand for categories have no mean. */
const measured = (column, value) => (column.kind === "categorical" ? null : value);
function buildColumns() {
  const records = columns.map((column, v) => ({ ...column, v }));
  const fields = [["column", (c) => c.name, false, (c) => columnLink(c.v)]];
  if (columns.some((c) => c.kind)) fields.push(["taken for", (c) => c.kind], ["because", (c) => (c.given ? "you said so" : c.reason)]);
  if (columns.some((c) => c.missing)) fields.push(["missing", (c) => c.missing, true]);
  if (columns.some((c) => c.mean !== undefined)) fields.push(["mean", (c) => measured(c, c.mean), true, (c) => number(measured(c, c.mean))], ["sd", (c) => measured(c, c.sd), true, (c) => number(measured(c, c.sd))]);
  if (columns.some((c) => c.explained !== undefined)) fields.push(["explained", (c) => (into[c.v].length ? measured(c, c.explained) : null), true, (c) => (into[c.v].length ? percent(measured(c, c.explained)) : "")]);
  fields.push(["causes", (c) => into[c.v].length, true], ["effects", (c) => outOf[c.v].length, true]);
  const table = sortable("columns", records, fields, { filter: columns.length > 12 });
  byId("columns-body").append(el("p", { class: "note" }, "Kinds that were not given are guesses from the values: what is wrong here is wrong everywhere. --kind name=kind, or kinds={...}, says it."), table.bar, table.node);
}
function buildAudit() {
  byId("audit-body").append(el("div", { class: "cards" }, contents.audit.map((item) => el("div", { class: "card" }, el("h3", {}, badge(item.verdict), item.title), el("p", {}, item.text)))));
}
function buildChecks() {
  const body = byId("checks-body");
  if (!contents.checks.length) { body.append(el("p", {}, "The rows are not at hand, or the score makes no predictions: nothing can be checked.")); return; }
  for (const check of contents.checks) {
    const plots = el("div", { class: "plots" });
    const typical = check.findings.length ? check.findings.slice(0, 4) : typicalColumns(check).map((v) => ({ column: v, other: null, text: "as it should be" }));
    for (const finding of typical) {
      const plot = residualPlot(check.picture, finding.column, finding.other);
      if (plot) plots.append(el("figure", {}, plot, el("figcaption", {}, columnLink(finding.column), ": " + finding.text)));
    }
    const more = check.findings.slice(4);
    body.append(el("div", { class: "check-card" },
      el("h3", {}, badge(check.verdict), check.name), el("p", { class: "note" }, check.question),
      el("p", {}, check.answer.charAt(0).toUpperCase() + check.answer.slice(1) + ". ", check.verdict === "holds" ? "" : check.meaning), plots,
      more.length ? el("details", { class: "toggle" }, el("summary", {}, `${more.length} more`), el("ul", { class: "plain" }, more.map((finding) => el("li", {}, columnLink(finding.column), ": " + finding.text)))) : null));
  }
}
function typicalColumns(check) {
  const asked = columns.map((_, v) => v).filter((v) => columns[v].real !== false && (check.picture === "quantiles" || into[v].length));
  return check.picture === "pair" ? [] : asked.sort((a, b) => (columns[b].explained ?? 0) - (columns[a].explained ?? 0)).slice(0, 2);
}
function buildHistory() {
  const body = byId("history-body"), steps = contents.record.history, plot = historyPlot(steps);
  const made = el("dl");
  if (contents.command) fact(made, "command", el("code", {}, contents.command));
  fact(made, "in Python", el("code", {}, contents.python));
  fact(made, "version", "toposwap " + contents.record.version);
  body.append(made);
  if (plot) body.append(el("div", { class: "plots" }, el("figure", {}, plot, el("figcaption", {}, "Score after each step of the search; lower is better."))));
  const table = sortable("steps of the search", steps, [["step", (s) => s.iteration, true], ["score", (s) => s.score, true, (s) => String(Number(s.score.toPrecision(8)))], ["space", (s) => s.space], ["tried", (s) => s.candidates, true], ["move", (s) => s.move], ["seconds", (s) => s.seconds, true, (s) => s.seconds.toFixed(3)]]);
  body.append(el("details", { class: "toggle" }, el("summary", {}, plural(steps.length, "step")), table.bar, table.node));
}
function buildLegend() {
  const line = (kind, words) => el("span", {}, svg("svg", { width: 30, height: 10, "aria-hidden": "true", class: `edge ${kind}` }, svg("path", { class: "shaft", d: "M0,5H30", "stroke-width": 3 })), words);
  const legend = byId("legend");
  if (contents.signed) {
    if (edges.some((e) => signClass(e) === "positive")) legend.append(line("positive", "positive: effect rises with cause"));
    if (edges.some((e) => signClass(e) === "negative")) legend.append(line("negative", "negative: effect falls as cause rises"));
  }
  if (edges.some((e) => signClass(e) === "unsigned")) legend.append(line("unsigned", contents.signed ? "without a sign: effect differs with the value of the cause" : "effect may rise and fall with cause"));
  if (edges.some((e) => e.open || e.reversible)) legend.append(el("span", {}, "no arrowhead (equivalence class) or a hollow one (DAG): the direction is open"));
  if (edges.some((e) => e.required)) legend.append(el("span", {}, "ring: required"));
  if (edges.some((e) => e.against)) legend.append(el("span", {}, "dashed: the data speak against it"));
  if (contents.whole.bands.length) legend.append(el("span", {}, "bands: tiers, earlier above"));
  if (edges.length) legend.append(el("span", {}, `width: |${contents.by_standardised ? "standardised weight" : "weight"}|, up to ${number(largest, 3)}`));
}
