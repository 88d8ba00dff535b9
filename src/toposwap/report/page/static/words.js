// The contents, elements with text in them, and numbers as they are written.
const contents = JSON.parse(document.getElementById("contents").textContent);
const SVG = "http://www.w3.org/2000/svg";
page.contents = contents;

/** Characters that show nothing or turn the direction of text, written out. */
page.shown = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu,
  (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(page.shown(child)));
  }
  return element;
}
const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

/** Four digits, without an exponent where zeros would not fill the line. */
function number(x, digits = 4) {
  if (x === null || x === undefined || !isFinite(x)) return "";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(2).replace("-", "−").replace("e−", "e-");
  const text = size >= 1000 ? x.toFixed(0) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−");
}
const percent = (p) => (p === null || p === undefined ? "" : p > 0 && p < 0.005 ? "< 1 %" : Math.round(100 * p) + " %");
const plural = (n, one) => n + " " + one + (n === 1 ? "" : "s");

const columns = contents.columns;
const nameOf = (v) => columns[v].name;
const edges = contents.record.edges.map((edge, k) => ({
  ...edge, ...contents.edges[k], number: k,
  strength: Math.abs(contents.by_standardised ? edge.standardised : edge.weight),
}));
const largest = Math.max(0, ...edges.map((edge) => edge.strength));
const into = columns.map(() => []), outOf = columns.map(() => []);
for (const edge of edges) { into[edge.to].push(edge); outOf[edge.from].push(edge); }

const columnNamed = new Map(columns.map((column, v) => [column.name, v]));
/** The column that a text means: its name, or the only one that begins with it or contains it. */
function findColumn(text) {
  const wanted = text.trim();
  if (columnNamed.has(text)) return columnNamed.get(text);
  if (columnNamed.has(wanted)) return columnNamed.get(wanted);
  if (!wanted) return -1;
  const low = wanted.toLowerCase();
  const names = columns.map((column) => page.shown(column.name).toLowerCase());
  for (const fits of [(n) => n === low, (n) => n.startsWith(low), (n) => n.includes(low)]) {
    const found = names.findIndex(fits);
    if (found >= 0) return found;
  }
  return -1;
}
/** Beside slopes, the weight of a category or a curve is a size and has no sign. */
const sized = (edge) => edges.some((other) => other.slope) && !edge.slope;
const signs = edges.map((edge) => (!contents.signed || sized(edge) ? "unsigned" : edge.weight > 0 ? "positive" : "negative"));
const signClass = (edge) => signs[edge.number];
const known = (x) => x !== null && x !== undefined;
const hasInterval = (edge) => known(edge.given_low), hasEvidence = (edge) => known(edge.evidence);
const gaps = contents.record.missing;
const filledIn = gaps && gaps.treatment !== "drop" ? " What was missing counts as if it had been measured, which narrows it further." : "";
const arrowText = (edge, between = " → ") => nameOf(edge.from) + between + nameOf(edge.to);
function columnLink(v) { return el("button", { type: "button", class: "link", click: () => page.choose(v) }, nameOf(v)); }
function edgeLink(edge, text) { return el("button", { type: "button", class: "link", click: () => page.chooseEdge(edge.number) }, text || arrowText(edge, edge.open ? " — " : " → ")); }
