// Controls, and the first picture.
page.setView = (view) => {
  if (view === "near" && state.chosen !== null) state.focus = state.chosen;
  Object.assign(state, { view, path: null, edge: null, chosen: view === "near" ? state.chosen : null });
  render();
};
page.showSettings = () => {
  for (const button of byId("view-buttons").children) button.setAttribute("aria-pressed", String(button.dataset.view === state.view || (button.dataset.view === "clusters" && state.view === "cluster")));
  byId("mode-dag").setAttribute("aria-pressed", String(state.mode === "dag"));
  byId("mode-class").setAttribute("aria-pressed", String(state.mode === "class"));
  const shown = edges.filter(visible).length;
  byId("slider-value").textContent = state.least > 0 ? `≥ ${state.by === "sure" ? percent(state.least) : number(state.least, 2)} (${shown})` : `all ${edges.length}`;
};
/** The slider goes through the edges by rank, so that every step hides about as many. */
function slide() {
  const sorted = edges.map(measure).sort((a, b) => a - b), at = Number(byId("slider").value) / 1000;
  state.least = at === 0 || !sorted.length ? 0 : sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))];
  render(state.view !== "near");
}
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
}
function clear() {
  Object.assign(state, { chosen: null, edge: null, path: null });
  if (state.view === "path" || (state.view === "near" && contents.first === "whole")) state.view = contents.first;
  for (const id of ["search", "path-from", "path-to"]) byId(id).value = "";
  render(true);
  page.showNothing();
  page.markRows();
}
function search(text) {
  const v = findColumn(text);
  if (v < 0) { say(el("p", {}, text.trim() ? `No column is called ${text}.` : "")); return; }
  choose(v);
}
byId("title").textContent = page.shown(contents.title);
byId("headline").textContent = page.shown(contents.headline);
byId("footer").textContent = `Made by toposwap ${contents.record.version}. Everything is in this file; nothing is loaded from elsewhere.`;
for (const column of columns) byId("columns-list").append(el("option", { value: column.name }));
const views = [["whole", "Whole graph"], ["near", "Surroundings"], ...(contents.overview ? [["clusters", "Clusters"]] : [])];
for (const [view, words] of views) byId("view-buttons").append(el("button", { type: "button", "data-view": view, click: () => page.setView(view) }, words));
byId("by").append(...(contents.confident ? [el("option", { value: "sure" }, "confidence")] : []), el("option", { value: "strength" }, contents.by_standardised ? "standardised weight" : "weight"));
byId("slider-label").textContent = contents.confident ? "Hide weak or unsure edges" : "Hide weak edges";
byId("slider-field").hidden = edges.length < 2;
byId("by-field").hidden = !contents.confident;
byId("arrows-group").hidden = !edges.some((edge) => edge.open || edge.reversible);
byId("forbidden-field").hidden = !(contents.knowledge && contents.knowledge.forbidden.length);
byId("forbidden").checked = state.forbidden;
byId("slider").addEventListener("input", slide);
byId("by").addEventListener("change", () => { state.by = byId("by").value; slide(); });
byId("mode-dag").addEventListener("click", () => { state.mode = "dag"; render(true); });
byId("mode-class").addEventListener("click", () => { state.mode = "class"; render(true); });
byId("forbidden").addEventListener("change", () => { state.forbidden = byId("forbidden").checked; render(true); });
byId("search").addEventListener("change", () => search(byId("search").value));
byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") search(byId("search").value); });
byId("path-show").addEventListener("click", () => {
  const a = findColumn(byId("path-from").value), b = findColumn(byId("path-to").value);
  if (a < 0 || b < 0 || a === b) say(el("p", {}, "Name two different columns, the cause first."));
  else showPath(a, b);
});
byId("clear").addEventListener("click", clear);
byId("zoom-in").addEventListener("click", () => zoom(1.3));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
byId("zoom-fit").addEventListener("click", fit);
byId("save-svg").addEventListener("click", page.saveSvg);
byId("save-png").addEventListener("click", page.savePng);
byId("print").addEventListener("click", () => { fit(); window.print(); });
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
document.addEventListener("keydown", (event) => {
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) { if (event.key === "Escape") event.target.blur(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") { event.preventDefault(); byId("search").focus(); }
  else if (event.key === "Escape") clear();
  else if (event.key === "+" || event.key === "=") zoom(1.3);
  else if (event.key === "-") zoom(1 / 1.3);
  else if (event.key === "0") fit();
});
window.addEventListener("resize", () => { if (box) start(); });
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
for (const build of [buildWords, buildEdges, buildColumns, buildAudit, buildChecks, buildHistory, buildLegend]) build();
render();
if (state.view === "near" && state.focus !== null) { state.chosen = state.focus; showColumn(state.focus); } else page.showNothing();
