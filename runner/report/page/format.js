// Numbers with their units, as docs/metrics.md has them.

const STEPS = {
  seconds: [[3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]],
  flops: [[1e15, "PFLOP/s"], [1e12, "TFLOP/s"], [1e9, "GFLOP/s"], [1e6, "MFLOP/s"]],
  bandwidth: [[1e12, "TB/s"], [1e9, "GB/s"], [1e6, "MB/s"]],
  bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
};

function unitOf(metric) {
  if (/(Time|\.latency)$/.test(metric)) return "seconds";
  if (/flopsPerSecond$/.test(metric)) return "flops";
  if (/bytesPerSecond$/.test(metric)) return "bandwidth";
  if (/^(memory\.|process\.rss)/.test(metric)) return "bytes";
  if (/PerSecond$/.test(metric)) return "rate";
  if (/Rate$/.test(metric)) return "share";
  return "number";
}

function plain(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

function format(value, unit) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  if (unit === "rate") return plain(value) + "/s";
  if (unit === "share") return plain(value * 100) + " %";
  const steps = STEPS[unit];
  if (!steps || value === 0) return plain(value);
  const step = steps.find(([size]) => Math.abs(value) >= size) || steps[steps.length - 1];
  return plain(value / step[0]) + " " + step[1];
}

const ROUND_TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

/// About `most` round values that cover low to high.
function ticks(low, high, most, unit) {
  const base = unit === "bytes" ? 2 : 10;
  const raw = (high - low) / most || 1;
  const power = base ** Math.floor(Math.log(raw) / Math.log(base));
  const factor = (base === 2 ? [1, 2] : [1, 2, 5, 10]).find((f) => f * power >= raw) || base;
  const times = unit === "seconds" && raw > 1 ? ROUND_TIMES : [];
  const step = times.find((time) => time >= raw) || factor * power;
  const list = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) list.push(at);
  return list;
}
