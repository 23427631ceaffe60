// The graph around an entity. Without this file the same stands in a table.
"use strict";

document.addEventListener("DOMContentLoaded", async () => {
  const box = document.getElementById("graph");
  if (!box) return;
  const answer = await fetch(box.dataset.source);
  const { graph } = await answer.json();
  const style = getComputedStyle(document.body);
  const colour = (name) => style.getPropertyValue(name).trim();
  const names = Object.entries(graph.names);
  const elements = names.map(([id, label], place) => {
    const away = 120 * graph.distances[id];
    const turn = (2 * Math.PI * place) / names.length; // begun from the same places, it looks the same each time
    return {
      data: { id, label, size: id === graph.centre ? 34 : 22 - 4 * graph.distances[id] },
      position: { x: away * Math.cos(turn), y: away * Math.sin(turn) },
    };
  });
  const most = Math.max(1, ...graph.edges.map(([, , count]) => count));
  for (const [source, target, count] of graph.edges) {
    elements.push({ data: { id: `${source} ${target}`, source, target, width: 1 + (5 * count) / most } });
  }
  // Cytoscape writes a style of its own into the page, which is forbidden here, unless this id is there; ours has it all.
  document.querySelector("link[rel=stylesheet]").id = "__________cytoscape_stylesheet";
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
