// Boxes and arrows.
const HEAD = 10;
const state = {
  view: contents.first, focus: null, cluster: null, chosen: null, edge: null, path: null,
  all: null, least: 0, by: contents.confident ? "sure" : "strength", mode: contents.equivalent ? "class" : "dag",
  forbidden: Boolean(contents.knowledge && contents.knowledge.forbidden.length && contents.knowledge.forbidden.length <= 10),
};
page.state = state;
const graph = byId("graph");
const frameSize = () => graph.getBoundingClientRect();

const measure = (edge) => (state.by === "sure" ? edge.sure ?? 0 : edge.strength);
const visible = (edge) => measure(edge) >= state.least;
const width = (edge) => 1.2 + 3.6 * (largest ? edge.strength / largest : 0);
/** Whether an edge has no arrowhead: the class leaves its direction open. */
const headless = (edge) => state.mode === "class" && (edge.open || edge.reversible);

function markers() {
  const found = svg("defs");
  for (const kind of ["positive", "negative", "unsigned"]) {
    for (const [name, shape, attributes] of [["full", "M0,0L10,5L0,10z", {}], ["hollow", "M0.8,0.8L9,5L0.8,9.2z", { hollow: true }]]) {
      const marker = svg("marker", { id: `head-${kind}-${name}`, viewBox: "0 0 10 10", refX: 0, refY: 5, markerWidth: HEAD, markerHeight: HEAD, markerUnits: "userSpaceOnUse", orient: "auto" });
      const path = svg("path", { d: shape, class: kind });
      if (attributes.hollow) { path.setAttribute("class", kind + "-hollow"); path.setAttribute("fill", "var(--paper)"); path.setAttribute("stroke", `var(--${kind})`); path.setAttribute("stroke-width", "1.6"); }
      marker.append(path);
      found.append(marker);
    }
  }
  return found;
}
function drawNode(v, x, y, wide, high, lines, label, attributes) {
  const group = svg("g", { class: "node", tabindex: 0, role: "button", transform: `translate(${x},${y})`, "aria-label": page.shown(label), ...attributes });
  group.append(svg("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: 8 }));
  lines.forEach((line, k) => {
    const text = svg("text", { y: (k - (lines.length - 1) / 2) * 16 + 4.5 }, line);
    group.append(text);
  });
  return group;
}
function columnNode(v, x, y, wide) {
  const label = `${nameOf(v)}: ${plural(into[v].length, "cause")}, ${plural(outOf[v].length, "effect")}`;
  const node = drawNode(v, x, y, wide || contents.boxes.widths[v], contents.box_height, contents.boxes.lines[v], label, {
    "data-column": v, click: () => page.choose(v), keydown: (event) => nodeKeys(event, v),
  });
  if (state.path) node.classList.add(state.path.columns.has(v) ? "on-path" : "faint");
  else if (state.chosen === v) node.classList.add("chosen");
  else if (state.chosen !== null && state.view !== "near") {
    const beside = into[v].some((e) => e.from === state.chosen) || outOf[v].some((e) => e.to === state.chosen);
    node.classList.add(beside ? "beside" : "faint");
  } else if (state.edge !== null) {
    const edge = edges[state.edge];
    node.classList.add(v === edge.from || v === edge.to ? "beside" : "faint");
  }
  return node;
}
function drawEdge(edge, path) {
  const open = headless(edge), kind = signClass(edge), wide = width(edge);
  // The line stops where the head begins; without a head it goes on to the box.
  const d = open ? path + `v${HEAD - 1}` : path;
  const between = open ? " — " : " → ";
  const group = svg("g", {
    class: `edge ${kind}`, "data-edge": edge.number, role: "button", tabindex: -1,
    "aria-label": page.shown(`${arrowText(edge, between)}, weight ${number(edge.weight)}`), click: () => page.chooseEdge(edge.number),
    keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); page.chooseEdge(edge.number); } },
  });
  group.append(svg("path", { class: "rim", d: path, "stroke-width": wide + 3 }));
  const hollow = !open && edge.open ? "hollow" : "full";
  group.append(svg("path", { class: "shaft", d, "stroke-width": wide.toFixed(2), "marker-end": open ? null : `url(#head-${kind}-${hollow})` }));
  group.append(svg("path", { class: "hit", d }));
  if (edge.against) group.classList.add("against");
  if (state.path) { if (!state.path.edges.has(edge.number)) group.classList.add("faint"); }
  else if (state.edge !== null) group.classList.add(state.edge === edge.number ? "chosen" : "faint");
  else if (state.chosen !== null && state.view !== "near" && edge.from !== state.chosen && edge.to !== state.chosen) group.classList.add("faint");
  return group;
}
/** A ring on the arrows that were required. */
function drawPins(root) {
  for (const group of root.querySelectorAll(".edge")) {
    const edge = edges[Number(group.dataset.edge)];
    if (!edge.required) continue;
    const shaft = group.querySelector(".shaft"), at = shaft.getPointAtLength(shaft.getTotalLength() / 2);
    group.append(svg("circle", { class: "pin", cx: at.x, cy: at.y, r: 5 }, svg("title", {}, "required")));
  }
}
function drawForbidden(root, places) {
  if (!state.forbidden || !contents.knowledge) return;
  for (const [i, j] of contents.knowledge.forbidden) {
    if (!places.has(i) || !places.has(j)) continue;
    const [ax, ay] = places.get(i), [bx, by] = places.get(j), far = Math.hypot(bx - ax, by - ay) || 1;
    // To the side, as there may be an arrow the other way.
    const side = Math.min(60, 0.35 * far), mx = (ax + bx) / 2 - (by - ay) / far * side, my = (ay + by) / 2 + (bx - ax) / far * side;
    const x = (ax + bx) / 4 + mx / 2, y = (ay + by) / 4 + my / 2;
    const group = svg("g", {}, svg("title", {}, `forbidden: ${nameOf(i)} → ${nameOf(j)}`));
    group.append(svg("path", { class: "forbidden", d: `M${ax},${ay}Q${mx},${my} ${bx},${by}` }));
    group.append(svg("path", { class: "forbidden-cross", d: `M${x - 5},${y - 5}l10,10m0,-10l-10,10` }));
    root.append(group);
  }
}
/** From a box: up to the strongest cause, down to the strongest effect, sideways in its row. */
function nodeKeys(event, v) {
  const strongest = (list, end) => { const found = list.filter(visible); return found.length ? found[0][end] : null; };
  let target = null;
  if (event.key === "ArrowUp") target = strongest(into[v], "from");
  else if (event.key === "ArrowDown") target = strongest(outOf[v], "to");
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const [x, y] = page.places.get(v) || [0, 0], sign = event.key === "ArrowLeft" ? -1 : 1;
    let nearest = Infinity;
    for (const [other, [ox, oy]] of page.places) if (oy === y && sign * (ox - x) > 0 && sign * (ox - x) < nearest) { nearest = sign * (ox - x); target = other; }
  } else if (event.key === "Enter" || event.key === " ") { event.preventDefault(); page.choose(v); return; }
  else return;
  event.preventDefault();
  event.stopPropagation();
  if (target === null) return;
  if (!page.places.has(target)) page.choose(target);
  const node = graph.querySelector(`.node[data-column="${target}"]`);
  if (node) node.focus();
}
