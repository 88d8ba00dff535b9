// What is around a column, and paths between two: laid out here, as any of them can be asked for.
const GAP = 34;
/** More boxes than this on one side are a crowd: the strongest are shown, and a box for the others. */
const MOST_BESIDE = 24;
/** Causes above, effects below, in rows that wrap. */
function drawNear(root) {
  if (state.focus === null) state.focus = columns.map((_, v) => v).reduce((best, v) => (into[v].length + outOf[v].length > into[best].length + outOf[best].length ? v : best), 0);
  const v = state.focus, high = contents.box_height, all = [into[v].filter(visible), outOf[v].filter(visible)];
  // Rows as long as the frame is wide, so that letters keep their size.
  const across = Math.min(Math.max(frameSize().width || 900, 360), 1000) - 40;
  const most = state.all === v ? Infinity : across < 500 ? 9 : MOST_BESIDE, [causes, effects] = all.map((list) => list.slice(0, most));
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
  const half = Math.max(170, ...[...page.places].map(([u, [x]]) => Math.abs(x) + contents.boxes.widths[u] / 2)) + 30;
  const top = -first - Math.max(above.length - 1, 0) * step - high / 2;
  let bottom = first + Math.max(below.length - 1, 0) * step + high / 2;
  const told = (list, found, one) => (found.length ? plural(found.length, one) + " of " + nameOf(v) + (list.length < found.length ? `, the ${list.length} strongest shown` : "") : `no ${one}s shown`);
  root.append(svg("text", { class: "row-label", x: 0, y: top - 14 }, told(causes, all[0], "cause")));
  root.append(svg("text", { class: "row-label", x: 0, y: bottom + 24 }, told(effects, all[1], "effect")));
  const around = new Set(page.places.keys());
  around.delete(v);
  const among = edges.filter((edge) => around.has(edge.from) && around.has(edge.to)).length;
  const hidden = into[v].length + outOf[v].length - all[0].length - all[1].length;
  const notes = [];
  if (hidden) notes.push(plural(hidden, "edge") + " hidden by the slider");
  if (among) notes.push(plural(among, "edge") + " among these columns not drawn");
  if (causes.length < all[0].length || effects.length < all[1].length) {
    const show = () => { state.all = v; render(); }, wide = 130, y = bottom + 60 + high / 2;
    root.append(drawNode(null, 0, y, wide, high, ["show all"], `Show all ${all[0].length + all[1].length} neighbours`, { "data-more": v, click: show, keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); show(); } } }));
    bottom = y + high / 2 - 20;
  }
  notes.push("click a box to go on from there");
  return [[-half, top - 40, 2 * half, bottom - top + 84], notes.join("; ")];
}
/** The columns of `state.path` in layers: each below all that lead to it. */
function drawPaths(root) {
  const high = contents.box_height, links = [...state.path.edges].map((k) => edges[k]), level = new Map();
  for (const name of contents.record.causal_order) {
    const v = columnNamed.get(name);
    if (state.path.columns.has(v)) level.set(v, Math.max(0, ...links.filter((e) => e.to === v).map((e) => level.get(e.from) + 1)));
  }
  // An edge that passes a layer has a place of its own there.
  const rows = [], routes = new Map();
  const put = (row, item) => { (rows[row] ||= []).push(item); return item; };
  const items = new Map([...level].map(([v, row]) => [v, put(row, { wide: contents.boxes.widths[v], near: [], x: 0 })]));
  for (const edge of links) {
    const route = [items.get(edge.from)];
    for (let row = level.get(edge.from) + 1; row < level.get(edge.to); row++) route.push(put(row, { wide: 6, near: [], x: 0 }));
    route.push(items.get(edge.to));
    route.slice(1).forEach((item, k) => { item.near.push(route[k]); route[k].near.push(item); });
    routes.set(edge, route);
  }
  const spread = (row) => {
    const total = row.reduce((sum, item) => sum + item.wide + GAP, -GAP);
    row.reduce((x, item) => { item.x = x + item.wide / 2; return x + item.wide + GAP; }, -total / 2);
  };
  rows.forEach(spread);
  for (let k = 0; k < 8; k++) for (const row of k % 2 ? [...rows].reverse() : rows) {
    for (const item of row) item.wish = item.near.reduce((sum, other) => sum + other.x, 0) / item.near.length;
    row.sort((a, b) => a.wish - b.wish);
    spread(row);
  }
  const step = high + 70, y = (row) => row * step;
  for (const [edge, route] of routes) {
    const first = level.get(edge.from);
    let path = `M${route[0].x.toFixed(1)},${y(first) + high / 2}`;
    route.slice(1).forEach((item, k) => {
      const last = k === route.length - 2, from = y(first + k) + high / 2, to = y(first + k + 1) - high / 2 - (last ? HEAD : 0), middle = (from + to) / 2;
      path += `C${route[k].x.toFixed(1)},${middle} ${item.x.toFixed(1)},${middle} ${item.x.toFixed(1)},${to}` + (last ? "" : `v${high}`);
    });
    root.append(drawEdge(edge, path));
  }
  for (const [v, item] of items) { page.places.set(v, [item.x, y(level.get(v))]); root.append(columnNode(v, ...page.places.get(v))); }
  const half = Math.max(170, ...rows.flat().map((item) => Math.abs(item.x) + item.wide / 2)) + 30;
  return [[-half, -high, 2 * half, (rows.length - 1) * step + 2 * high], state.path.part ? "the strongest paths; the others are not drawn" : ""];
}
