// Zoom and pan.
let box = null, natural = null;
/** Letters smaller than this share of their size cannot be read: a view begins with a part then. */
const LEAST_SCALE = 0.55;
const scale = () => Math.min(frameSize().width / box[2], frameSize().height / box[3]);
const highest = () => Math.max(420, Math.min(900, 0.85 * window.innerHeight));

function zoomTo(wanted) { box = wanted; graph.setAttribute("viewBox", box.map((t) => t.toFixed(2)).join(" ")); }
function fit() {
  const wide = frameSize().width || 900, most = highest();
  // As high as the graph needs at full size, within reason.
  const high = Math.min(Math.max(natural[3] * Math.min(1.1, wide / natural[2]), Math.min(460, most)), most);
  graph.style.height = `${high}px`;
  panel.style.maxHeight = window.innerWidth > 960 ? `${high}px` : "none";
  let [x, y, w, h] = natural;
  // Small graphs are not blown up.
  if (w < wide / 1.35) { x -= (wide / 1.35 - w) / 2; w = wide / 1.35; }
  if (h < high / 1.35) { y -= (high / 1.35 - h) / 2; h = high / 1.35; }
  zoomTo([x, y, w, h]);
}
/** All of a view, or as much of it from its top as can be read. */
function start() {
  fit();
  const too = LEAST_SCALE / scale();
  if (too <= 1) return;
  if (natural[3] * LEAST_SCALE > frameSize().height) graph.style.height = `${highest()}px`;
  const w = frameSize().width / LEAST_SCALE, h = frameSize().height / LEAST_SCALE, [x, y, wide, high] = natural;
  zoomTo([x + (wide - w) / 2, high > h ? y : y + (high - h) / 2, w, h]);
}
/** Pan so far that these columns are in the frame. */
function reveal(wanted) {
  const places = wanted.map((v) => page.places.get(v)).filter(Boolean), [x, y, w, h] = box;
  if (!places.length || places.every(([px, py]) => px > x + 20 && px < x + w - 20 && py > y + 20 && py < y + h - 20)) return;
  const middle = (k) => (Math.min(...places.map((at) => at[k])) + Math.max(...places.map((at) => at[k]))) / 2;
  zoomTo([middle(0) - w / 2, middle(1) - h / 2, w, h]);
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
