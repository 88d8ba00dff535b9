// Small plots of a column, of an edge, of residuals and of the search.
const W = 320, H = 200, LEFT = 44, BOTTOM = 30, TOP = 8, RIGHT = 8;

/** Sixteen bits a value, as packed.py writes them. */
function unpacked(sample) {
  const bytes = atob(sample.steps), found = new Float64Array(bytes.length / 2);
  const reach = (sample.high - sample.low) / 65535;
  for (let k = 0; k < found.length; k++) found[k] = sample.low + reach * (bytes.charCodeAt(2 * k) + 256 * bytes.charCodeAt(2 * k + 1));
  return found;
}
const valuesOf = (v) => (columns[v].values ? unpacked(columns[v].values) : null);
const leftOf = (v) => (columns[v].left ? unpacked(columns[v].left) : null);

function ticks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 2));
  const wide = [1, 2, 5, 10].map((k) => k * step).find((s) => (high - low) / s <= 4.5) || 10 * step;
  const found = [];
  for (let t = Math.ceil(low / wide); t * wide <= high * (1 + 1e-12) && found.length < 8; t++) found.push(t * wide);
  return found;
}
function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const x of values) { if (x < low) low = x; if (x > high) high = x; }
  if (!(high > low)) { low -= 0.5; high += 0.5; }
  const margin = 0.04 * (high - low);
  return [low - margin, high + margin];
}
/** A frame with scales: what is drawn into it is in the units of the data. */
function chart(label, xs, ys, xName, yName, values) {
  const [x0, x1] = xs, [y0, y1] = ys;
  const x = (t) => LEFT + (t - x0) / (x1 - x0) * (W - LEFT - RIGHT);
  const y = (t) => H - BOTTOM - (t - y0) / (y1 - y0) * (H - BOTTOM - TOP);
  const root = svg("svg", { class: "plot", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": page.shown(label) });
  root.append(svg("path", { class: "axis", fill: "none", d: `M${LEFT},${TOP}V${H - BOTTOM}H${W - RIGHT}` }));
  const marks = values ? values.map((value, k) => [k, short(String(value), Math.max(3, Math.floor(44 / values.length)))]) : ticks(x0, x1).map((t) => [t, number(t, 3)]);
  for (const [t, text] of marks) root.append(svg("text", { class: "tick", x: x(t), y: H - BOTTOM + 12, "text-anchor": "middle" }, text));
  for (const t of ticks(y0, y1)) root.append(svg("text", { class: "tick", x: LEFT - 4, y: y(t) + 3, "text-anchor": "end" }, number(t, 3)));
  if (xName) root.append(svg("text", { class: "tick", x: (LEFT + W) / 2, y: H - 4, "text-anchor": "middle" }, short(xName)));
  if (yName) root.append(svg("text", { class: "tick", x: 10, y: (H - BOTTOM) / 2, "text-anchor": "middle", transform: `rotate(-90 10 ${(H - BOTTOM) / 2})` }, short(yName, 30)));
  return { root, x, y };
}
const short = (text, most = 44) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
function dots(frame, xs, ys) {
  for (let k = 0; k < xs.length; k++) frame.root.append(svg("circle", { class: "dot", cx: frame.x(xs[k]).toFixed(1), cy: frame.y(ys[k]).toFixed(1), r: 2 }));
}
function curve(frame, xs, ys, kind) {
  let d = "";
  for (let k = 0; k < xs.length; k++) d += (k ? "L" : "M") + frame.x(xs[k]).toFixed(1) + "," + frame.y(ys[k]).toFixed(1);
  frame.root.append(svg("path", { class: kind, d }));
}
/** How a column is distributed: bars of values or of bins. */
function histogram(v) {
  const column = columns[v];
  let bars, xs;
  if (column.bars) {
    const at = column.bars.map(([value]) => value);
    const gaps = at.slice(1).map((b, k) => b - at[k]);
    const wide = 0.8 * (gaps.length ? Math.min(...gaps) : 1);
    bars = column.bars.map(([value, count]) => [value - wide / 2, value + wide / 2, count]);
    xs = [at[0] - wide, at[at.length - 1] + wide];
  } else if (column.bins) {
    const { low, high, counts } = column.bins, wide = (high - low) / counts.length;
    bars = counts.map((count, k) => [low + k * wide, low + (k + 1) * wide, count]);
    xs = [low, high];
  } else return null;
  const most = Math.max(...bars.map((bar) => bar[2]));
  const frame = chart("Distribution of " + column.name, xs, [0, most * 1.05], column.name, "rows");
  for (const [a, b, count] of bars) frame.root.append(svg("rect", { class: "bar", x: frame.x(a) + 0.5, width: Math.max(0.5, frame.x(b) - frame.x(a) - 1), y: frame.y(count), height: frame.y(0) - frame.y(count) }));
  return frame.root;
}
/** The effect over its cause: rows with the other causes taken out, and the fitted line or curve. */
function scatter(edge) {
  const xs = valuesOf(edge.from), left = leftOf(edge.to), cause = columns[edge.from], effect = columns[edge.to];
  if (!xs || !left || effect.kind === "categorical") return null;
  if (cause.kind === "categorical") return strip(edge, xs, left);
  const grid = [], fitted = [];
  let at;
  if (edge.curve) {
    const values = unpacked(edge.curve), points = values.length;
    const low = cause.quartiles[0], high = cause.quartiles[4];
    for (let k = 0; k < points; k++) { grid.push(low + (high - low) * k / (points - 1)); fitted.push(values[k]); }
    at = (x) => {
      const t = Math.min(Math.max((x - low) / (high - low), 0), 1) * (points - 1), k = Math.min(Math.floor(t), points - 2);
      return values[k] + (t - k) * (values[k + 1] - values[k]);
    };
  } else {
    at = (x) => effect.mean + edge.weight * (x - cause.mean);
    const [low, high] = extent(xs);
    grid.push(low, high); fitted.push(at(low), at(high));
  }
  const ys = Float64Array.from(xs, (x, k) => at(x) + left[k]);
  const frame = chart(`${nameOf(edge.to)} over ${nameOf(edge.from)}`, extent(xs), extent([...ys, ...fitted]), nameOf(edge.from), nameOf(edge.to));
  dots(frame, xs, ys);
  curve(frame, grid, fitted, "fit");
  return frame.root;
}
/** A number over the values of a category, with a mark where the model has it at each. */
function strip(edge, xs, left) {
  const cause = columns[edge.from], effect = columns[edge.to];
  if (!edge.by_value || !cause.bars || effect.scale) return null;
  const fitted = edge.by_value.weights.map(([w]) => effect.mean + w);
  // Packed values are rounded: the nearest is meant.
  const across = Array.from(xs, (x) => cause.bars.reduce((best, [value], k) => (Math.abs(value - x) < Math.abs(cause.bars[best][0] - x) ? k : best), 0));
  const ys = across.map((place, k) => fitted[place] + left[k]);
  const last = cause.bars.length - 1;
  const frame = chart(`${nameOf(edge.to)} over ${nameOf(edge.from)}`, [-0.4, last + 0.4], extent([...ys, ...fitted]), nameOf(edge.from), nameOf(edge.to), edge.by_value.cause_values);
  dots(frame, across, ys);
  fitted.forEach((y, k) => curve(frame, [k - 0.25, k + 0.25], [y, y], "fit"));
  return frame.root;
}
/** The residuals of a column in the way that shows what a check asks. */
function residualPlot(kind, v, other) {
  const xs = valuesOf(v), left = leftOf(v);
  if (!xs || !left) return null;
  const fitted = Float64Array.from(xs, (x, k) => x - left[k]);
  if (kind === "quantiles") {
    const sorted = Float64Array.from(left).sort(), n = sorted.length;
    const mean = sorted.reduce((a, b) => a + b, 0) / n;
    const sd = Math.sqrt(sorted.reduce((a, b) => a + (b - mean) ** 2, 0) / n) || 1;
    const normal = Float64Array.from(sorted, (_, k) => normalQuantile((k + 0.5) / n));
    const found = sorted.map((e) => (e - mean) / sd);
    const both = extent([...normal, ...found]);
    const frame = chart("Quantiles of the residuals of " + nameOf(v), both, both, "normal", "residual / sd");
    curve(frame, both, both, "fit");
    dots(frame, normal, found);
    return frame.root;
  }
  if (kind === "pair" && other !== null && other !== undefined) {
    const zs = valuesOf(other);
    const frame = chart(`Residual of ${nameOf(v)} over ${nameOf(other)}`, extent(zs), extent(left), nameOf(other), "left of " + nameOf(v));
    curve(frame, extent(zs), [0, 0], "fit");
    dots(frame, zs, left);
    return frame.root;
  }
  const ys = kind === "spread" ? left.map(Math.abs) : left;
  const across = kind === "fitted" && other !== null && other !== undefined ? valuesOf(other) : fitted;
  const frame = chart("Residuals of " + nameOf(v), extent(across), extent(ys), across === fitted ? "fitted " + nameOf(v) : nameOf(other), kind === "spread" ? "size of residual" : "residual");
  if (kind !== "spread") curve(frame, extent(across), [0, 0], "fit");
  dots(frame, across, ys);
  return frame.root;
}
/** Acklam's approximation, to nine digits. */
function normalQuantile(p) {
  const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
  const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
  const c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
  const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];
  const poly = (k, t) => k.reduce((sum, x) => sum * t + x, 0);
  if (p < 0.02425) { const q = Math.sqrt(-2 * Math.log(p)); return poly(c, q) / (poly(d, q) * q + 1); }
  if (p > 1 - 0.02425) return -normalQuantile(1 - p);
  const q = p - 0.5, r = q * q;
  return poly(a, r) * q / (poly(b, r) * r + 1);
}
function historyPlot(steps) {
  if (steps.length < 2) return null;
  const xs = steps.map((step) => step.iteration), ys = steps.map((step) => step.score);
  const frame = chart("Score by iteration", extent(xs), extent(ys), "iteration", "score");
  curve(frame, xs, ys, "run");
  dots(frame, xs.length > 200 ? [] : xs, ys);
  return frame.root;
}
