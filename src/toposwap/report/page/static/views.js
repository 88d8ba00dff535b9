// What is in the frame: the whole graph, the surroundings of a column, paths, clusters, one cluster.
page.places = new Map();

function render(keepZoom) {
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.column : undefined;
  const root = svg("g");
  page.places = new Map();
  let size;
  let note = "";
  if (state.view === "clusters" && contents.overview) [size, note] = drawOverview(root);
  else if (state.view === "cluster") [size, note] = drawLaidOut(root, contents.clusters[state.cluster].view);
  else if (state.view === "near") [size, note] = drawNear(root);
  else if (state.view === "path" && state.path) [size, note] = drawPaths(root);
  else {
    [size, note] = drawLaidOut(root, contents.whole);
    const [lines, nodes] = contents.whole_left_out;
    if (lines) note = `${lines} weaker edges${nodes ? ` and ${nodes} columns without stronger ones` : ""} are not in this view` + (note ? "; " + note : "");
  }
  graph.replaceChildren(markers(), root);
  drawPins(root);
  // Measured first and changed afterwards: each change in between would lay out the page again.
  const tight = [...root.querySelectorAll(".node text")].map((text) => [text, Number(text.parentNode.firstChild.getAttribute("width")) - 8]).filter(([text, room]) => text.getComputedTextLength() > room);
  for (const [text, room] of tight) { text.setAttribute("textLength", room); text.setAttribute("lengthAdjust", "spacingAndGlyphs"); }
  natural = size;
  if (!keepZoom || !box) start(); else zoomTo(box);
  byId("graph-note").textContent = page.shown([note, scale() * natural[3] > frameSize().height + 8 ? "drag to see the rest, Fit shows all of it" : ""].filter(Boolean).join("; "));
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
