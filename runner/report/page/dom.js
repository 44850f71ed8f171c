// Elements from data. Text only ever becomes text.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/// A member whatever the document looks like; the fallback also where the type is another. Without a
/// fallback any type is taken.
function at(json, path, fallback) {
  let found = json;
  for (const key of path.split(".")) {
    if (found === null || typeof found !== "object") return fallback;
    found = found[key];
  }
  if (found === undefined || found === null) return fallback;
  if (fallback === undefined) return found;
  const same = typeof found === typeof fallback && Array.isArray(found) === Array.isArray(fallback);
  return same ? found : fallback;
}

function words(value) {
  return typeof value === "string" ? value : "";
}

function section(title, ...children) {
  const kept = children.flat().filter((child) => child !== null && child !== undefined);
  return kept.length === 0 ? null : el("section", {}, el("h2", {}, title), kept);
}

/// `rows` of cells; a cell is text, or {text, kind} with the class of its column.
function table(head, rows) {
  if (rows.length === 0) return null;
  const cell = (one) => (one !== null && typeof one === "object"
    ? el("td", {class: one.kind}, one.text) : el("td", {}, one));
  return el("div", {class: "scroll"}, el("table", {},
    el("thead", {}, el("tr", {}, head.map((text) => el("th", {scope: "col"}, text)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell))))));
}
