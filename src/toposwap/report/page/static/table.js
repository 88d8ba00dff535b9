// Tables that can be sorted, filtered and copied.
const asTabs = (heads, rows) => [heads, ...rows].map((row) => row.map((cell) => String(cell ?? "").replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n") + "\n";

/** `fields`: [name, value of a row, whether it is a number, how it is shown]. */
function sortable(caption, records, fields, { filter, chosen, row } = {}) {
  let by = null, falling = true, wanted = "";
  const body = el("tbody"), heads = el("tr");
  const shownRows = () => {
    let found = records.filter((record) => !wanted || fields.some(([, value]) => String(value(record) ?? "").toLowerCase().includes(wanted)));
    if (by !== null) {
      const [, value, numeric] = fields[by];
      const key = numeric === "size" ? (r) => Math.abs(value(r) ?? 0) : (r) => value(r);
      found = [...found].sort((a, b) => {
        const x = key(a), y = key(b);
        const order = numeric ? (x ?? -Infinity) - (y ?? -Infinity) : String(x ?? "").localeCompare(String(y ?? ""));
        return falling ? -order : order;
      });
    }
    return found;
  };
  const rows = new Map(records.map((record) => [record, null]));
  const rowOf = (record) => {
    if (!rows.get(record)) rows.set(record, el("tr", row ? row(record) : {}, fields.map(([, value, numeric, show]) => el("td", { class: numeric ? "n" : null }, show ? show(record) : value(record)))));
    return rows.get(record);
  };
  const draw = () => body.replaceChildren(...shownRows().map(rowOf));
  const mark = () => { for (const [record, line] of rows) if (line) line.classList.toggle("chosen", Boolean(chosen && chosen(record))); };
  fields.forEach(([name, , numeric], k) => {
    const head = el("th", { class: numeric ? "n" : null, scope: "col", "aria-sort": "none" });
    head.append(el("button", { type: "button", click: () => {
      if (by === k) falling = !falling; else { by = k; falling = Boolean(numeric); }
      for (const other of heads.children) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      draw();
    } }, name));
    heads.append(head);
  });
  draw();
  const table = el("table", {}, el("caption", { class: "hidden" }, caption), el("thead", {}, heads), body);
  const bar = el("div", { class: "bar-row" });
  if (filter) bar.append(el("input", { type: "search", placeholder: "filter", "aria-label": "Filter " + caption, input: (event) => { wanted = event.target.value.toLowerCase(); draw(); } }));
  bar.append(el("button", { type: "button", click: (event) => copy(asTabs(fields.map(([name]) => name), shownRows().map((record) => fields.map(([, value]) => value(record)))), event.target) }, "Copy"));
  return { bar, node: el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table), mark };
}
async function copy(text, button) {
  const said = button.textContent;
  try { await navigator.clipboard.writeText(text); } catch {
    const area = el("textarea", { class: "hidden" });
    document.body.append(area);
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = said; }, 1200);
}
let edgesTable = null;
page.markRows = () => { if (edgesTable) edgesTable.mark(); };
function buildEdges() {
  const fields = [
    ["cause", (e) => e.source, false, (e) => columnLink(e.from)],
    ["effect", (e) => e.target, false, (e) => columnLink(e.to)],
    ["weight", (e) => e.weight, "size", (e) => el("button", { type: "button", class: `link number ${signClass(e)}`, "aria-label": `${arrowText(e, " to ")}: ${number(e.weight)}`, click: () => { chooseEdge(e.number); byId("graph").scrollIntoView({ block: "nearest" }); } }, number(e.weight))],
  ];
  if (edges.some((e) => e.standardised !== null)) fields.push(["standardised", (e) => e.standardised, "size", (e) => number(e.standardised)]);
  if (edges.some(hasInterval)) fields.push(["low", (e) => e.given_low, true, (e) => number(e.given_low)], ["high", (e) => e.given_high, true, (e) => number(e.given_high)]);
  if (contents.confident) fields.push(["confidence", (e) => e.sure, true, (e) => percent(e.sure)], ["arrow", (e) => e.arrow, true, (e) => percent(e.arrow)]);
  if (edges.some(hasEvidence)) fields.push(["evidence", (e) => e.evidence ?? null, true, (e) => number(e.evidence)]);
  if (edges.some((e) => e.parameters > 1)) fields.push(["parameters", (e) => e.parameters, true]);
  if (edges.some((e) => e.open)) fields.push(["direction", (e) => (e.open ? "open" : "")]);
  const remarks = (e) => [e.required ? "required" : "", e.against ? "the data speak against it" : "", e.carried ? `hangs on ${plural(e.carried.rows, "row")}` : ""].filter(Boolean).join("; ");
  if (edges.some(remarks)) fields.push(["remark", remarks]);
  edgesTable = sortable("edges", edges, fields, { filter: true, chosen: (e) => state.edge === e.number || (state.chosen !== null && (e.from === state.chosen || e.to === state.chosen)), row: (e) => ({ "data-edge": e.number }) });
  edgesTable.bar.append(
    el("button", { type: "button", id: "save-csv", click: page.saveCsv }, "CSV"),
    el("button", { type: "button", id: "save-json", click: page.saveJson }, "JSON (everything)"),
  );
  const notes = [];
  if (edges.some(hasInterval)) notes.push("Low and high: 95 % interval of the weight, this graph taken as given." + filledIn);
  if (edges.some(hasEvidence)) notes.push("Evidence: by how much twice the log-likelihood falls without the edge" + (contents.price ? `; ${edges.some((e) => e.parameters > 1) ? "each of its parameters" : "an edge"} costs ${number(contents.price, 3)}.` : "."));
  byId("edges-body").append(edges.length ? edgesTable.bar : "", edges.length ? edgesTable.node : el("p", {}, "This graph has no edges."), el("p", { class: "note" }, notes.join(" ")));
}
