// What is in the frame: the whole graph, the surroundings of a column, clusters, one cluster.
page.places = new Map();
let box = null, natural = null;

function render(keepZoom) {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.column : undefined;
  const root = svg("g");
  page.places = new Map();
  let size;
  let note = "";
  if (state.view === "clusters" && contents.overview) [size, note] = drawOverview(root);
  else if (state.view === "cluster") [size, note] = drawLaidOut(root, contents.clusters[state.cluster].view);
  else if (state.view === "near") [size, note] = drawNear(root);
  else {
    [size, note] = drawLaidOut(root, contents.whole);
    const [lines, nodes] = contents.whole_left_out;
    if (lines) note = `${lines} weaker edges${nodes ? ` and ${nodes} columns without stronger ones` : ""} are not in this view` + (note ? "; " + note : "");
  }
  graph.replaceChildren(markers(), root);
  drawPins(root);
  for (const text of root.querySelectorAll(".node text")) {
    const room = Number(text.parentNode.querySelector("rect").getAttribute("width")) - 8;
    if (text.getComputedTextLength() > room) { text.setAttribute("textLength", room); text.setAttribute("lengthAdjust", "spacingAndGlyphs"); }
  }
  natural = size;
  if (!keepZoom || !box) fit(); else zoomTo(box);
  byId("graph-note").textContent = page.shown(note);
  graph.setAttribute("aria-label", page.shown(`Graph: ${contents.headline}`));
  if (focused !== undefined) { const again = graph.querySelector(`.node[data-column="${focused}"]`); if (again) again.focus({ preventScroll: true }); }
  page.showSettings();
}
page.render = render;

function drawLaidOut(root, view) {
  for (const [label, y, high] of view.bands) {
    root.append(svg("rect", { class: "band", x: -40, y, width: view.width + 80, height: high, rx: 8 }));
    root.append(svg("text", { class: "band-label", x: -32, y: y + 16 }, label));
  }
  for (const [v, x, y] of view.nodes) page.places.set(v, [x, y]);
  let hidden = 0;
  for (const [k, path] of [...view.edges].reverse()) {
    if (visible(edges[k])) root.append(drawEdge(edges[k], path)); else hidden += 1;
  }
  drawForbidden(root, page.places);
  for (const [v, x, y, wide] of view.nodes) root.append(columnNode(v, x, y, wide));
  const margin = view.bands.length ? 50 : 24;
  const note = (hidden ? plural(hidden, "edge") + " hidden by the slider" : "");
  return [[-margin, -margin, view.width + 2 * margin, view.height + 2 * margin + 14], note];
}
const GAP = 34;
/** Causes above, effects below, in rows that wrap. */
function drawNear(root) {
  if (state.focus === null) state.focus = columns.map((_, v) => v).reduce((best, v) => (into[v].length + outOf[v].length > into[best].length + outOf[best].length ? v : best), 0);
  const v = state.focus, high = contents.box_height, causes = into[v].filter(visible), effects = outOf[v].filter(visible);
  const across = Math.max(760, 150 * Math.ceil(Math.sqrt(2.2 * Math.max(causes.length, effects.length))));
  const rows = (list, end) => {
    const found = []; let row = [], used = 0;
    for (const edge of list) {
      const wide = contents.boxes.widths[edge[end]] + GAP;
      if (used + wide > across && row.length) { found.push(row); row = []; used = 0; }
      row.push(edge); used += wide;
    }
    if (row.length) found.push(row);
    return found;
  };
  const place = (row, end, y) => {
    const total = row.reduce((sum, edge) => sum + contents.boxes.widths[edge[end]] + GAP, -GAP);
    let x = -total / 2;
    for (const edge of row) { const wide = contents.boxes.widths[edge[end]]; page.places.set(edge[end], [x + wide / 2, y]); x += wide + GAP; }
  };
  const above = rows(causes, "from"), below = rows(effects, "to"), step = high + 44, first = high + 92;
  page.places.set(v, [0, 0]);
  // The strongest stand nearest.
  above.forEach((row, k) => place(row, "from", -first - k * step));
  below.forEach((row, k) => place(row, "to", first + k * step));
  const ports = (list, end) => {
    const sorted = [...list].sort((a, b) => page.places.get(a[end])[0] - page.places.get(b[end])[0]);
    const room = Math.max(contents.boxes.widths[v], Math.min(14 * list.length, 420)) * 0.85;
    return new Map(sorted.map((edge, k) => [edge, sorted.length > 1 ? (k / (sorted.length - 1) - 0.5) * room : 0]));
  };
  const wide = Math.max(contents.boxes.widths[v], Math.min(14 * Math.max(causes.length, effects.length), 420));
  // An arrow to a farther row passes the nearer ones through the gap that is nearest to its box.
  const used = new Map();
  const gap = (row, end, x) => {
    const sides = row.map((edge) => { const [at] = page.places.get(edge[end]), half = contents.boxes.widths[edge[end]] / 2; return [at - half, at + half]; });
    const gaps = [sides[0][0] - GAP / 2, ...sides.slice(1).map(([left], k) => (left + sides[k][1]) / 2), sides[sides.length - 1][1] + GAP / 2];
    const at = gaps.reduce((best, g) => (Math.abs(g - x) < Math.abs(best - x) ? g : best));
    const before = used.get(row[0].number + ":" + at) || 0;
    used.set(row[0].number + ":" + at, before + 1);
    return at + (before % 2 ? -1 : 1) * Math.ceil(before / 2) * 6;
  };
  const route = (list, end, sign, port) => list.forEach((row, far) => [...row].reverse().forEach((edge) => {
    const [x, y] = page.places.get(edge[end]), points = [[port.get(edge), sign * high / 2]];
    for (let k = 0; k < far; k++) { const at = gap(list[k], end, x), middle = sign * (first + k * step); points.push([at, middle - sign * high / 2], [at, middle + sign * high / 2]); }
    points.push([x, y - sign * high / 2]);
    if (end === "from") points.reverse();
    points[points.length - 1][1] -= HEAD;
    let path = "";
    points.forEach(([px, py], k) => {
      const [qx, qy] = points[k - 1] || [px, py], middle = (qy + py) / 2;
      path += k === 0 ? `M${px.toFixed(1)},${py}` : Math.abs(qx - px) < 0.01 ? `L${px.toFixed(1)},${py}` : `C${qx.toFixed(1)},${middle} ${px.toFixed(1)},${middle} ${px.toFixed(1)},${py}`;
    });
    root.append(drawEdge(edge, path));
  }));
  route(above, "from", -1, ports(causes, "from"));
  route(below, "to", 1, ports(effects, "to"));
  for (const edge of causes) root.append(columnNode(edge.from, ...page.places.get(edge.from)));
  for (const edge of effects) root.append(columnNode(edge.to, ...page.places.get(edge.to)));
  const centre = columnNode(v, 0, 0, wide);
  centre.classList.remove("faint"); centre.classList.add("chosen");
  root.append(centre);
  const half = Math.max(300, ...[...page.places].map(([u, [x]]) => Math.abs(x) + contents.boxes.widths[u] / 2)) + 30;
  const top = -first - Math.max(above.length - 1, 0) * step - high / 2, bottom = first + Math.max(below.length - 1, 0) * step + high / 2;
  root.append(svg("text", { class: "row-label", x: 0, y: top - 14 }, causes.length ? plural(causes.length, "cause") + " of " + nameOf(v) : "no causes shown"));
  root.append(svg("text", { class: "row-label", x: 0, y: bottom + 24 }, effects.length ? plural(effects.length, "effect") + " of " + nameOf(v) : "no effects shown"));
  const around = new Set(page.places.keys());
  around.delete(v);
  const among = edges.filter((edge) => around.has(edge.from) && around.has(edge.to)).length;
  const hidden = into[v].length + outOf[v].length - causes.length - effects.length;
  const notes = [];
  if (hidden) notes.push(plural(hidden, "edge") + " hidden by the slider");
  if (among) notes.push(plural(among, "edge") + " among these columns not drawn");
  notes.push("click a box to go on from there");
  return [[-half, top - 40, 2 * half, bottom - top + 84], notes.join("; ")];
}
function drawOverview(root) {
  const view = contents.overview, most = Math.max(1, ...view.links.map(([, , a, b]) => a + b));
  for (const [a, b, down, up, path] of view.links) {
    const line = svg("path", { class: "link-line", d: path, "stroke-width": (1 + 5 * (down + up) / most).toFixed(1), "stroke-opacity": 0.55 });
    line.append(svg("title", {}, `${plural(down, "edge")} down, ${up} up`));
    root.append(line);
  }
  view.boxes.forEach(([lines, x, y, wide], k) => {
    const show = () => page.showCluster(k);
    root.append(drawNode(null, x, y, wide, view.box_height, lines, `Cluster of ${lines.join(", ")}`, {
      "data-cluster": k, click: show, keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); show(); } },
    }));
  });
  return [[-24, -24, view.width + 48, view.height + 62], "clusters of columns with many edges among them; click one to open it" + (view.links_left_out ? `; ${view.links_left_out} weaker links not drawn` : "")];
}

// --- zoom and pan -------------------------------------------------------------------------------
function zoomTo(wanted) { box = wanted; graph.setAttribute("viewBox", box.map((t) => t.toFixed(2)).join(" ")); }
function fit() {
  const wide = graph.getBoundingClientRect().width || 900;
  // As high as the graph needs at full size, within reason.
  const high = Math.min(Math.max(natural[3] * Math.min(1.1, wide / natural[2]), 460), 900);
  graph.style.height = panel.style.maxHeight = `${high}px`;
  let [x, y, w, h] = natural;
  // Small graphs are not blown up.
  if (w < wide / 1.35) { x -= (wide / 1.35 - w) / 2; w = wide / 1.35; }
  if (h < high / 1.35) { y -= (high / 1.35 - h) / 2; h = high / 1.35; }
  zoomTo([x, y, w, h]);
}
function zoom(factor, cx, cy) {
  const [x, y, w, h] = box, px = cx ?? x + w / 2, py = cy ?? y + h / 2;
  const least = 120 / w, most = 6 * Math.max(natural[2], 600) / w, by = Math.min(Math.max(1 / factor, least), most);
  zoomTo([px - (px - x) * by, py - (py - y) * by, w * by, h * by]);
}
page.fit = fit;
page.zoom = zoom;
function inGraph(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
  return [point.x, point.y];
}
graph.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, ...inGraph(event));
}, { passive: false });
let drag = null;
graph.addEventListener("pointerdown", (event) => { if (event.button === 0) drag = { x: event.clientX, y: event.clientY, box: [...box], moved: false }; });
graph.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  if (!drag.moved) { drag.moved = true; graph.setPointerCapture(event.pointerId); graph.classList.add("dragging"); }
  const scale = graph.getScreenCTM().a;
  zoomTo([drag.box[0] - dx / scale, drag.box[1] - dy / scale, drag.box[2], drag.box[3]]);
});
for (const end of ["pointerup", "pointercancel"]) graph.addEventListener(end, () => { drag = null; graph.classList.remove("dragging"); });
