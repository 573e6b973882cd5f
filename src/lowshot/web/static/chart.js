"use strict";
/* The charts of the owner's page: estimates or a difference, with intervals, against the number of labels. */

const BOX = {left: 58, right: 626, top: 12, bottom: 244};

function svg(tag, className, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  made.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* The size of steps such that there are about `count` of them: 1, 2 or 5 times a power of ten. */
function niceStep(span, count) {
  const power = 10 ** Math.floor(Math.log10(span / count));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= 0.999 * span / count);
}

function multiples(low, high, size) {
  const first = Math.ceil(low / size - 1e-9);
  return Array.from({length: Math.floor(high / size + 1e-9) - first + 1}, (_, place) => (first + place) * size);
}

/* Axes for up to `most` labels and values from `low` to `high`; `parts` collects what is drawn. */
function frame(most, low, high, valueTicks) {
  const x = (labels) => BOX.left + (BOX.right - BOX.left) * labels / most;
  const y = (value) => BOX.bottom - (BOX.bottom - BOX.top) * (Math.min(high, Math.max(low, value)) - low) / (high - low);
  const path = (list) => list.map(([across, up]) => `${x(across).toFixed(1)},${y(up).toFixed(1)}`).join(" ");
  const parts = [];
  for (const value of valueTicks) {
    parts.push(svg("line", "grid", {x1: BOX.left, x2: BOX.right, y1: y(value), y2: y(value)}));
    parts.push(svg("text", "tick", {x: BOX.left - 8, y: y(value) + 4, "text-anchor": "end"}, String(Number(value.toPrecision(3))).replace("-", "−")));
  }
  for (const labels of multiples(0, most, Math.max(1, niceStep(most, 5)))) {
    parts.push(svg("text", "tick", {x: x(labels), y: BOX.bottom + 18, "text-anchor": "middle"}, String(labels)));
  }
  parts.push(svg("text", "tick", {x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 34, "text-anchor": "middle"}, "labels"));
  return {x, y, path, parts};
}

function band(axes, points, className) {
  const banded = points.filter((point) => point.low !== null);
  const upper = banded.map((point) => [point.labels, point.high]);
  const lower = banded.map((point) => [point.labels, point.low]).reverse();
  axes.parts.push(svg("polygon", `band ${className}`, {points: axes.path([...upper, ...lower])}));
}

function line(axes, points, className) {
  const last = points[points.length - 1];
  if (!last) return;
  axes.parts.push(svg("polyline", `line ${className}`, {points: axes.path(points.map((point) => [point.labels, point.value]))}));
  axes.parts.push(svg("circle", `last ${className}`, {cx: axes.x(last.labels), cy: axes.y(last.value), r: 4.5}));
}

function level(axes, value, className) {
  axes.parts.push(svg("line", className, {x1: BOX.left, x2: BOX.right, y1: axes.y(value), y2: axes.y(value)}));
}

const mostLabels = (points) => Math.max(10, ...points.map((point) => point.labels));
const defined = (points) => points.filter((point) => point.value !== null);

function finish(chart, axes, points) {
  chart.replaceChildren(...axes.parts);
  chart.dataset.labels = points.length ? points[points.length - 1].labels : 0;
}

function drawChart(chart, found) {
  const points = defined(found.points);
  const axes = frame(mostLabels(found.points), 0, 1, [0, 0.25, 0.5, 0.75, 1]);
  band(axes, points, "");
  const last = points[points.length - 1];
  if (last) {
    for (const value of found.half_width === null ? [] : [last.value - found.half_width, last.value + found.half_width]) {
      if (value > 0 && value < 1) level(axes, value, "wanted");
    }
    line(axes, points, "");
  }
  finish(chart, axes, points);
}

/* One line per model; the intervals of up to three, as more of them would hide each other. */
function drawModels(chart, found) {
  const lines = found.lines.map((one) => ({...one, points: defined(one.points)}));
  const all = lines.flatMap((one) => one.points);
  const ends = lines.flatMap((one) => one.points.slice(-1).map((point) => point.high ?? point.value));
  const high = Math.min(1, Math.max(0.1, ...all.map((point) => point.value), ...ends) * 1.08);
  const axes = frame(mostLabels(all), 0, high, multiples(0, high, niceStep(high, 4)));
  if (lines.length <= 3) lines.forEach((one, place) => band(axes, one.points, `m${place}`));
  lines.forEach((one, place) => line(axes, one.points, `m${place}`));
  finish(chart, axes, lines[0].points);
}

/* A difference, the line of no difference, and the margin on both sides. The first, widest intervals may be cut off. */
function drawDifference(chart, found, margin) {
  const points = defined(found.points);
  const most = mostLabels(found.points);
  const later = points.filter((point) => point.low !== null && point.labels >= most / 4);
  const seen = [0, -margin, margin, ...points.map((point) => point.value), ...later.flatMap((point) => [point.low, point.high])];
  const room = 0.06 * Math.max(0.05, Math.max(...seen) - Math.min(...seen));
  const [low, high] = [Math.max(-1, Math.min(...seen) - room), Math.min(1, Math.max(...seen) + room)];
  const axes = frame(most, low, high, multiples(low, high, niceStep(high - low, 4)));
  band(axes, points, "");
  level(axes, 0, "zero");
  if (margin) [margin, -margin].forEach((value) => level(axes, value, "wanted"));
  line(axes, points, "");
  finish(chart, axes, points);
}
