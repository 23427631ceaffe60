// How strong a fact was, is and will be, as a curve; without this file the page has a small picture of the same.
"use strict";

function colour(name) {
  return getComputedStyle(document.body).getPropertyValue(name).trim();
}

function marksReviews(reviews) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = colour("--accent");
    for (const at of reviews) {
      const x = plot.valToPos(at, "x", true);
      if (x >= bbox.left && x <= bbox.left + bbox.width) ctx.fillRect(x - 1, bbox.top, 2, bbox.height / 12);
    }
    ctx.restore();
  };
}

function drawCurve(box, curve) {
  const days = curve.points.map(([day]) => Date.parse(day) / 1000);
  const now = Number(box.dataset.now);
  const past = curve.points.map(([, value], place) => (days[place] <= now ? value : null));
  const ahead = curve.points.map(([, value], place) => (days[place + 1] === undefined || days[place + 1] > now ? value : null));
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") } };
  const line = { stroke: colour("--accent"), width: 2, points: { show: false }, value: (_, value) => value?.toFixed(2) ?? "" };
  const options = {
    width: box.clientWidth,
    height: 220,
    scales: { y: { range: [0, 1.05] } },
    axes: [{ ...axis, values: "{YYYY}-{MM}-{DD}", space: 90 }, { ...axis, size: 52 }],
    series: [
      { label: box.dataset.day, value: (_, value) => (value ? new Date(value * 1000).toISOString().slice(0, 10) : "") },
      { ...line, label: box.dataset.strength },
      { ...line, label: box.dataset.forecast, dash: [6, 4] },
      { ...line, label: box.dataset.fades, stroke: colour("--bad"), width: 1, dash: [2, 4] },
    ],
    hooks: { draw: [marksReviews(curve.reviews.map(([at]) => Date.parse(at) / 1000))] },
  };
  box.replaceChildren();
  const plot = new uPlot(options, [days, past, ahead, days.map(() => curve.least)], box);
  new ResizeObserver(() => {
    if (box.clientWidth && box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height: 220 });
  }).observe(box);
}

async function showCurve() {
  const box = document.querySelector("[data-curve]");
  if (!box || box.querySelector(".uplot")) return;
  const answer = await fetch(box.dataset.curve);
  if (!answer.ok) return;
  const { curve } = await answer.json();
  if (curve) drawCurve(box, curve);
}

document.addEventListener("DOMContentLoaded", showCurve);
document.addEventListener("htmx:after:swap", showCurve);
