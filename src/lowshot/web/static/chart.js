"use strict";
/* The chart of the owner's page: the estimate and its interval against the number of labels, and the wanted width. */

const BOX = {left: 58, right: 626, top: 12, bottom: 244};

function svg(tag, className, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  made.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function ticks(most) {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const size = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) || 1;
  return Array.from({length: Math.floor(most / size) + 1}, (_, place) => place * size);
}

function drawChart(chart, found) {
  const points = found.points.filter((point) => point.value !== null);
  const most = Math.max(10, ...found.points.map((point) => point.labels));
  const x = (labels) => BOX.left + (BOX.right - BOX.left) * labels / most;
  const y = (value) => BOX.bottom - (BOX.bottom - BOX.top) * Math.min(1, Math.max(0, value));
  const path = (list) => list.map(([across, up]) => `${x(across).toFixed(1)},${y(up).toFixed(1)}`).join(" ");
  const parts = [];
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(svg("line", "grid", {x1: BOX.left, x2: BOX.right, y1: y(value), y2: y(value)}));
    parts.push(svg("text", "tick", {x: BOX.left - 8, y: y(value) + 4, "text-anchor": "end"}, String(value)));
  }
  for (const labels of ticks(most)) {
    parts.push(svg("text", "tick", {x: x(labels), y: BOX.bottom + 18, "text-anchor": "middle"}, String(labels)));
  }
  parts.push(svg("text", "tick", {x: (BOX.left + BOX.right) / 2, y: BOX.bottom + 34, "text-anchor": "middle"}, "labels"));
  const banded = points.filter((point) => point.low !== null);
  const upper = banded.map((point) => [point.labels, point.high]);
  const lower = banded.map((point) => [point.labels, point.low]).reverse();
  parts.push(svg("polygon", "band", {points: path([...upper, ...lower])}));
  const last = points[points.length - 1];
  if (last) {
    for (const value of [last.value - found.half_width, last.value + found.half_width]) {
      if (value > 0 && value < 1) parts.push(svg("line", "wanted", {x1: BOX.left, x2: BOX.right, y1: y(value), y2: y(value)}));
    }
    parts.push(svg("polyline", "line", {points: path(points.map((point) => [point.labels, point.value]))}));
    parts.push(svg("circle", "last", {cx: x(last.labels), cy: y(last.value), r: 4.5}));
  }
  chart.replaceChildren(...parts);
  chart.dataset.labels = last ? last.labels : 0;
}
