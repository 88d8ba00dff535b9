// Directed paths between two columns, and the total effect along them.

/** Columns from which `target` is reached, itself among them. */
function ancestors(target) {
  const found = new Set([target]), stack = [target];
  while (stack.length) for (const edge of into[stack.pop()]) if (!found.has(edge.from)) { found.add(edge.from); stack.push(edge.from); }
  return found;
}
const MOST_PATHS = 2000;
/** All paths from a to b as lists of edges; at most MOST_PATHS of them. */
function pathsBetween(a, b) {
  const useful = ancestors(b), found = [];
  const walk = (v, trail) => {
    if (found.length >= MOST_PATHS) return;
    if (v === b) { found.push([...trail]); return; }
    for (const edge of outOf[v]) if (useful.has(edge.to)) { trail.push(edge); walk(edge.to, trail); trail.pop(); }
  };
  if (a !== b && useful.has(a)) walk(a, []);
  return found;
}
/** [(I - W)^-1]_ab by one pass along the order, null where an effect on the way is no line. */
function totalEffect(a, b, key) {
  const useful = ancestors(b), order = contents.record.causal_order.map((name) => columnNamed.get(name));
  const effect = new Map([[a, 1]]);
  for (const v of order) {
    if (v === a || !useful.has(v)) continue;
    let sum = 0, reached = false;
    for (const edge of into[v]) if (effect.has(edge.from)) {
      if (columns[v].line !== true || edge[key] === null) return null;
      sum += edge[key] * effect.get(edge.from); reached = true;
    }
    if (reached) effect.set(v, sum);
  }
  return effect.has(b) ? effect.get(b) : 0;
}
page.totalEffect = totalEffect;
page.pathsBetween = pathsBetween;
