// Files: the edges, everything, and the picture in the frame.
function save(name, text, type) { saveBlob(name, new Blob([text], { type })); }
function saveBlob(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const quoted = (cell) => { const text = String(cell ?? ""); return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text; };
page.csv = () => {
  const given = edges.some(hasEvidence) ? ["parameters", "given_low", "given_high", "evidence"] : [];
  const heads = ["source", "target", "weight", "standardised", "open", ...given, ...(contents.confident ? ["confidence", "arrow"] : [])];
  const rows = edges.map((e) => [e.source, e.target, e.weight, e.standardised, e.open, ...given.map((name) => e[name]), ...(contents.confident ? [e.sure, e.arrow] : [])]);
  return [heads, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
};
page.saveCsv = () => save("edges.csv", page.csv(), "text/csv");
page.saveJson = () => save("result.json", JSON.stringify(contents.record, null, 2), "application/json");
/** The picture by itself: looks become attributes, as a file has no style sheet. */
function standalone() {
  const copy = graph.cloneNode(true), from = graph.querySelectorAll("*"), to = copy.querySelectorAll("*");
  const looks = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-family", "text-anchor"];
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of looks) { const value = style.getPropertyValue(name); if (value) to[k].setAttribute(name, value); }
    for (const name of ["tabindex", "role", "class"]) to[k].removeAttribute(name);
  });
  copy.querySelectorAll("[stroke='rgba(0, 0, 0, 0)'], [stroke='transparent']").forEach((hit) => hit.remove());
  const [x, y, w, h] = natural;
  copy.setAttribute("viewBox", natural.join(" "));
  copy.setAttribute("width", w);
  copy.setAttribute("height", h);
  copy.setAttribute("xmlns", SVG);
  for (const name of ["id", "tabindex", "role", "aria-describedby", "class"]) copy.removeAttribute(name);
  copy.prepend(svg("rect", { x, y, width: w, height: h, fill: getComputedStyle(document.querySelector(".frame")).backgroundColor }));
  return new XMLSerializer().serializeToString(copy);
}
page.standalone = standalone;
page.saveSvg = () => save("graph.svg", standalone(), "image/svg+xml");
page.picture = () => new Promise((done, failed) => {
  const image = new Image(), [, , w, h] = natural, scale = Math.min(2, 8000 / Math.max(w, h));
  image.onload = () => {
    const canvas = el("canvas", { width: Math.ceil(w * scale), height: Math.ceil(h * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png");
  };
  image.onerror = () => failed(new Error("the picture could not be drawn"));
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone());
});
page.savePng = async () => saveBlob("graph.png", await page.picture());
