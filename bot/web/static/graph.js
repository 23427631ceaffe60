// The graph around an entity. Without this file the same stands in a table.
"use strict";

document.addEventListener("DOMContentLoaded", async () => {
  const box = document.getElementById("graph");
  if (!box) return;
  const answer = await fetch(box.dataset.source);
  const { graph } = await answer.json();
  const style = getComputedStyle(document.body);
  const colour = (name) => style.getPropertyValue(name).trim();
  const elements = Object.entries(graph.names).map(([id, label]) => ({
    data: { id, label, size: id === graph.centre ? 34 : 22 - 4 * graph.distances[id] },
  }));
  const most = Math.max(1, ...graph.edges.map(([, , count]) => count));
  for (const [source, target, count] of graph.edges) {
    elements.push({ data: { id: `${source} ${target}`, source, target, width: 1 + (5 * count) / most } });
  }
  const picture = cytoscape({
    container: box,
    elements,
    layout: { name: "cose", animate: false, padding: 20, nodeRepulsion: 90000 },
    minZoom: 0.3,
    maxZoom: 3,
    userZoomingEnabled: false,
    style: [
      { selector: "node", style: { label: "data(label)", width: "data(size)", height: "data(size)", "background-color": colour("--accent"), color: colour("--ink"), "font-size": 11, "text-valign": "bottom", "text-margin-y": 3 } },
      { selector: "edge", style: { width: "data(width)", "line-color": colour("--shade-2"), "curve-style": "straight" } },
    ],
  });
  picture.on("tap", "node", (event) => {
    const address = new URL(box.dataset.entity, window.location.href);
    address.searchParams.set("name", event.target.data("label"));
    window.location.href = address.href;
  });
});
