// Curves and distributions as SVG.

const WIDTH = 560;
const HEIGHT = 220;
const EDGE = {left: 66, right: 12, top: 16, bottom: 28};

function frame(label, xScale, yScale, xTicks, yTicks, xUnit, yUnit, content) {
  const right = WIDTH - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  const grid = yTicks.map((value) => [
    svg("line", {class: "grid", x1: EDGE.left, x2: right, y1: yScale(value), y2: yScale(value)}),
    svg("text", {x: EDGE.left - 6, y: yScale(value) + 4, "text-anchor": "end"},
      format(value, yUnit))]);
  const axis = xTicks.map((value) => svg("text",
    {x: xScale(value), y: bottom + 17, "text-anchor": "middle"}, format(value, xUnit)));
  return svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label},
    svg("title", {}, label), grid.flat(), axis, content);
}

function linear(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/// Points of a series of the report: {x, low, middle, high}.
function pointsOf(series) {
  const middle = at(series, "value", at(series, "median", []));
  const low = at(series, "min", middle);
  const high = at(series, "max", middle);
  return at(series, "x", []).map((x, i) => ({x, low: low[i], middle: middle[i], high: high[i]}))
    .filter((p) => [p.x, p.low, p.middle, p.high].every(Number.isFinite));
}

/// marks: [{x, text}]. null when there is nothing to draw.
function curve(title, series, unit, marks = [], note = "") {
  const points = pointsOf(series);
  if (points.length < 2) return null;
  const xUnit = at(series, "over", "") === "seconds" ? "seconds" : "number";
  const lows = points.map((p) => p.low);
  const highs = points.map((p) => p.high);
  let low = Math.min(...lows);
  let high = Math.max(...highs);
  if (["rate", "flops", "bandwidth", "share"].includes(unit)) low = Math.min(0, low);
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
  const end = points[points.length - 1].x;
  const x = linear(xUnit === "seconds" ? 0 : points[0].x, end, EDGE.left, WIDTH - EDGE.right);
  const y = linear(low, high, HEIGHT - EDGE.bottom, EDGE.top);
  const line = (list) => list.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ");
  const band = line([...points.map((p) => [x(p.x), y(p.high)]),
    ...points.map((p) => [x(p.x), y(p.low)]).reverse()]);
  const content = [
    svg("polygon", {class: "band", points: band}),
    svg("polyline", {class: "curve", points: line(points.map((p) => [x(p.x), y(p.middle)]))}),
    marks.map((mark) => vertical(x(mark.x), mark.text))];
  const last = points[points.length - 1].middle;
  const label = `${title}: ${format(low, unit)} to ${format(high, unit)}, at the end ${format(last, unit)}`;
  return figure(title, frame(label, x, y, ticks(0, end, 5, xUnit), ticks(low, high, 4, unit),
    xUnit, unit, content.flat(2)), note || label.slice(title.length + 2));
}

function vertical(x, text) {
  const side = x > WIDTH * 0.7 ? "end" : "start";
  return [svg("line", {class: "mark", x1: x, x2: x, y1: EDGE.top, y2: HEIGHT - EDGE.bottom}),
    svg("text", {class: "mark-text", x: x + (side === "end" ? -4 : 4), y: EDGE.top + 9,
      "text-anchor": side}, text)];
}

/// A histogram of the report, in ns: counts in 60 columns, on a logarithmic axis when it is wide.
function distribution(title, histogram) {
  const buckets = at(histogram, "buckets", []).filter((b) => Array.isArray(b) && b[0] > 0 && b[1] > 0);
  if (buckets.length === 0) return null;
  const values = buckets.map(([value]) => value);
  const low = Math.min(...values);
  const high = Math.max(...values) * 1.0001;
  const wide = high / low > 20;
  const measure = wide ? Math.log : (value) => value;
  const columns = new Array(60).fill(0);
  for (const [value, count] of buckets) {
    const place = ((measure(value) - measure(low)) / (measure(high) - measure(low))) * 60;
    columns[Math.min(59, Math.max(0, Math.floor(place)))] += count;
  }
  const x = linear(measure(low), measure(high), EDGE.left, WIDTH - EDGE.right);
  const y = linear(0, Math.max(...columns), HEIGHT - EDGE.bottom, EDGE.top);
  const width = (WIDTH - EDGE.left - EDGE.right) / 60;
  const bars = columns.map((count, i) => svg("rect", {class: "bar", x: EDGE.left + i * width + 0.5,
    y: y(count), width: width - 1, height: y(0) - y(count)}));
  const marks = [[0.5, "P50"], [0.99, "P99"]].map(([share, name]) => {
    const value = quantile(buckets, share);
    return {x: x(measure(value)), text: `${name} ${format(value * 1e-9, "seconds")}`};
  });
  const drawn = marks.map((mark, i) => {
    const [line, text] = vertical(mark.x, mark.text);
    text.setAttribute("y", EDGE.top + 9 + 13 * i);
    return [line, text];
  });
  const axis = wide
    ? [0, 1, 2, 3, 4].map((i) => Math.exp(Math.log(low) + (i / 4) * Math.log(high / low)))
    : ticks(low, high, 5, "number");
  const label = `${title}: ${marks.map((mark) => mark.text).join(", ")}, ${at(histogram, "count", 0)} samples`;
  return figure(title, frame(label, (value) => x(measure(value * 1e9)), y, axis.map((v) => v * 1e-9),
    ticks(0, Math.max(...columns), 3, "number"), "seconds", "number", [bars, drawn].flat(2)),
  label.slice(title.length + 2));
}

function quantile(buckets, share) {
  const rank = Math.ceil(share * buckets.reduce((sum, [, count]) => sum + count, 0));
  let seen = 0;
  for (const [value, count] of buckets) {
    seen += count;
    if (seen >= rank) return value;
  }
  return buckets[buckets.length - 1][0];
}

function figure(title, image, note) {
  return el("figure", {}, el("figcaption", {}, title), note ? el("p", {class: "quiet"}, note) : null,
    image);
}
