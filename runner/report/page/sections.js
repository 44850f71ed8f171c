// The parts of the page, top to bottom. Each gives null where the report has nothing for it.

const RANK = {Failed: 0, Warned: 1, NotEvaluated: 2, Passed: 3, Recorded: 4};

function title(report) {
  const mode = words(at(report, "spec.mode", ""));
  const test = at(report, "test", {});
  const place = [at(report, "environment.node", ""), ...at(report, "environment.devices", [])
    .map((device) => words(device && device.name)), words(at(report, "environment.cpuModel", ""))];
  const attempt = at(test, "attempt", 1) > 1 ? `attempt ${test.attempt}` : "";
  return el("header", {},
    el("h1", {}, words(at(test, "name", "")) || "torchsoak run"),
    el("p", {class: "quiet"}, [mode, attempt, words(at(report, "times.started", "")),
      ...place].filter(Boolean).join(" · ")));
}

function verdict(report) {
  const word = words(at(report, "outcome.verdict", "")) || "no verdict";
  return el("div", {class: `verdict ${word}`},
    el("p", {}, el("strong", {}, word), " ", el("span", {class: "quiet"},
      words(at(report, "outcome.reason", "")))),
    el("p", {}, words(at(report, "outcome.message", ""))));
}

function metric(report, end, statistic) {
  return at(report, "metrics", []).find((one) => one && words(one.name).endsWith(end) &&
    one.statistic === statistic && Number.isFinite(one.value));
}

function figures(report) {
  const wanted = [["throughput", ".samplesPerSecond", "Mean"], ["sustained", ".flopsPerSecond", "P10"],
    ["mean", ".flopsPerSecond", "Mean"], ["sustained", ".bytesPerSecond", "P10"],
    ["mean", ".bytesPerSecond", "Mean"], ["step time P50", ".stepTime", "P50"],
    ["step time P99", ".stepTime", "P99"], ["latency P50", ".latency", "P50"],
    ["latency P99", ".latency", "P99"], ["errors", ".errorRate", "Mean"], ["last loss", ".loss", "Last"],
    ["peak memory", "memory.peakAllocated", "Max"], ["resident memory", "process.rss", "Max"]];
  const items = wanted.map(([label, end, statistic]) => {
    const found = metric(report, end, statistic);
    return found && el("li", {}, el("span", {class: "quiet"}, label),
      el("b", {}, format(found.value, unitOf(found.name))));
  }).filter(Boolean);
  const steps = at(report, "outcome.steps", 0);
  if (steps > 0) items.push(el("li", {}, el("span", {class: "quiet"}, "measured steps"), el("b", {}, steps)));
  return items.length > 0 ? el("ul", {class: "figures"}, items) : null;
}

function gates(report) {
  const list = at(report, "gates", []).filter((gate) => gate && typeof gate === "object");
  list.sort((a, b) => (RANK[a.result] ?? 2) - (RANK[b.result] ?? 2) || Number(b.user) - Number(a.user));
  return section("Gates", table(["gate", "result", "observed", "limit", ""], list.map((gate) => [
    {text: words(gate.name), kind: "text"}, {text: words(gate.result), kind: `word ${words(gate.result)}`},
    {text: words(gate.observed), kind: "number"}, {text: words(gate.limit), kind: "number"},
    {text: words(gate.message), kind: "text"}])));
}

function explanation(report, name) {
  const leak = at(report, "leaks", []).find((one) => one && one.name === name);
  return leak ? words(leak.explanation) : "";
}

function charts(report) {
  const series = at(report, "series", {});
  const names = Object.keys(series);
  const pick = (test) => names.filter((name) => test.test(name));
  const rate = unitOf(names.find((name) => /PerSecond$/.test(name)) || "samplesPerSecond");
  const falls = at(report, "drift.steps", []).filter((step) => step && Number.isFinite(step.atSeconds))
    .map((step) => ({x: step.atSeconds, text: `${format(step.before, rate)} → ${format(step.after, rate)}`}));
  const drawn = [
    pick(/PerSecond$/).map((name) => curve("Throughput", series[name], rate, falls)),
    at(report, "histograms", []).map((one) => distribution(
      words(one && one.metric).endsWith("latency") ? "Latency" : "Step time", one)),
    pick(/^memory\./).map((name) => curve("Memory of tensors", series[name], "bytes", [],
      explanation(report, "LiveAllocations"))),
    pick(/^process\.rssAnon$/).map((name) => curve("Own memory of the process", series[name], "bytes", [],
      explanation(report, name))),
    pick(/^process\.rss$/).map((name) => curve("Resident memory", series[name], "bytes")),
    pick(/\.loss$/).map((name) => curve("Loss", series[name], "number")),
    pick(/Rate$/).map((name) => curve("Errors", series[name], "share")),
    pick(/^process\.(descriptors|threads)$/).map((name) => curve(
      name.endsWith("threads") ? "Threads" : "File descriptors", series[name], "number", [],
      explanation(report, name)))].flat().filter(Boolean);
  return drawn.length > 0 ? section("Over time", el("div", {class: "charts"}, drawn)) : null;
}

function metrics(report) {
  return section("Numbers", table(["metric", "statistic", "value", "samples"],
    at(report, "metrics", []).filter((one) => one && typeof one === "object").map((one) => [
      words(one.name), words(one.statistic),
      {text: Number.isFinite(one.value) ? format(one.value, unitOf(words(one.name))) : words(one.reason), kind: "number"},
      {text: at(one, "samples", 0), kind: "number"}])));
}

function canaries(report) {
  const tone = {proven: "Passed", skipped: "NotEvaluated", dead: "Failed"};
  const list = at(report, "canaries", []).filter((one) => one && typeof one === "object");
  return list.length === 0 ? null : section("Detectors, shown a fault before measuring",
    table(["detector", "state", "what was shown"], list.map((one) => [words(one.detector),
      {text: words(one.state), kind: `word ${tone[one.state] || ""}`}, {text: words(one.detail), kind: "text"}])));
}

function timeline(report) {
  const parts = Object.entries(at(report, "timeline", {})).filter(([, time]) => time > 0);
  const all = parts.reduce((sum, [, time]) => sum + time, 0);
  if (all <= 0) return null;
  const order = ["started", "preflight", "prepare", "canary", "warmup", "measured", "stalled", "flushed"];
  parts.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const text = parts.map(([name, time]) => `${name} ${format(time, "seconds")}`).join(", ");
  return section("Where the time went", el("div", {class: "parts", role: "img", "aria-label": text},
    parts.map(([name, time]) => {
      const part = el("span", {title: `${name} ${format(time, "seconds")}`});
      part.style.flexGrow = String(time / all);
      return part;
    })), el("p", {class: "quiet"}, text));
}

function details(report) {
  return section("Everything else", ["spec", "environment", "workload", "benchmark", "lossChecksum", "epochs", "leaks", "drift", "runner"]
    .filter((key) => at(report, key, undefined) !== undefined).map((key) => el("details", {},
      el("summary", {}, key), el("pre", {}, JSON.stringify(report[key], null, 2)))));
}

function show() {
  const page = document.getElementById("report");
  const report = JSON.parse(document.getElementById("data").textContent);
  document.title = `${words(at(report, "test.name", ""))} ${words(at(report, "outcome.verdict", ""))}`.trim();
  page.replaceChildren(...[title, verdict, figures, gates, charts, canaries, metrics, timeline, details]
    .map((part) => part(report)).filter(Boolean));
  document.body.dataset.rendered = "yes";
}

show();
