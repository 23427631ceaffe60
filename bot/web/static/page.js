// Keys, and showing a page anew when the service says that it is out of date. Reading works without this file.
"use strict";

const keys = { prefix: false };

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (keys.prefix) {
    keys.prefix = false;
    const link = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (link) {
      event.preventDefault();
      link.click();
    }
    return;
  }
  if (event.key === "/") {
    const search = document.getElementById("search");
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  } else if (event.key === "?") {
    document.getElementById("help")?.showModal();
  } else if (event.key === "g") {
    keys.prefix = true;
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-help]")) document.getElementById("help")?.showModal();
});

// A form of filters sends only what is filled in; one that is sent as one types says in the address what is shown.
document.addEventListener("formdata", (event) => {
  const form = event.target;
  if (!form.matches("form.filters")) return;
  for (const [name, value] of [...event.formData]) {
    if (value === "") event.formData.delete(name);
  }
  if (form.hasAttribute("hx-get")) {
    history.replaceState(history.state, "", `${form.getAttribute("action")}?${new URLSearchParams(event.formData)}`);
  }
});

// A form that was just sent is not sent once more, as by a double click.
const TWICE_MS = 2000;

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.hasAttribute("hx-post")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "true";
  setTimeout(() => form.removeAttribute("data-sent"), TWICE_MS);
});

// A page that somebody is just changing is left alone; it says that there is something new.
function isBeingChanged(page) {
  const field = document.activeElement;
  const isInField = field && page.contains(field) && field.matches("input:not([type=search]), textarea, select");
  const isChanged = [...page.querySelectorAll("textarea")].some((one) => one.value !== one.defaultValue);
  return isInField || isChanged || page.querySelector("dialog[open]") !== null;
}

function showAnew() {
  const part = document.querySelector("[data-live-part]");
  if (part) {
    htmx.ajax("GET", window.location.href, { target: `#${part.id}`, select: `#${part.id}`, swap: "outerMorph" });
    return;
  }
  const page = document.getElementById("page");
  if (!page) return;
  if (isBeingChanged(page)) {
    document.body.dataset.stale = "true";
    return;
  }
  delete document.body.dataset.stale;
  htmx.ajax("GET", window.location.href, { target: "#page", select: "#page", swap: "outerMorph" });
}

// Where the login has ended, the page is loaded anew, which leads to the next one; what is being typed comes first.
document.addEventListener("htmx:response:error", ({ detail: { ctx } }) => {
  if (ctx.response.status !== 401 || ctx.request.method !== "GET") return;
  if (!isBeingChanged(document.getElementById("page"))) window.location.reload();
});

// Only a tab that is seen listens: browsers keep six connections to one address, however many tabs there are.
let source = null;
let again = 0;
const AGAIN_MS = 10_000;

function listen() {
  if (source || document.hidden) return;
  const { page, agent } = document.body.dataset;
  const since = document.querySelector("[data-live-part]")?.dataset.version ?? "";
  source = new EventSource(`/events?${new URLSearchParams({ page, agent, since })}`);
  source.addEventListener("changed", showAnew);
  source.addEventListener("progress", (event) => {
    document.dispatchEvent(new CustomEvent("progress", { detail: JSON.parse(event.data) }));
  });
  source.addEventListener("open", () => {
    const wasLost = document.body.dataset.connection === "lost";
    document.body.dataset.connection = "open";
    if (wasLost) showAnew(); // what has happened since was not told
  });
  source.onerror = () => {
    document.body.dataset.connection = "lost";
    if (source.readyState === EventSource.CLOSED) listenLater();
  };
}

function stopListening() {
  clearTimeout(again);
  source?.close();
  source = null;
}

// A browser asks again by itself where nobody answers, and not where the answer is an error, as a proxy's or of a login.
function listenLater() {
  stopListening();
  showAnew();
  again = setTimeout(listen, AGAIN_MS);
}

function startListening() {
  window.addEventListener("pagehide", stopListening);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      stopListening();
    } else {
      showAnew();
      listen();
    }
  });
  listen();
}

document.addEventListener("DOMContentLoaded", () => {
  if ("live" in document.body.dataset) startListening();
});

// Tables that the server does not sort are sorted here, by the column whose heading is pressed.
function numberIn(text, language) {
  const [point, comma] = language === "de" ? [".", ","] : [",", "."];
  return Number(text.replace(/[%\s]/g, "").replaceAll(point, "").replace(comma, "."));
}

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell?.querySelector("time")?.dateTime ?? cell?.textContent.trim() ?? "";
  const number = numberIn(text, document.documentElement.lang);
  return text !== "" && !Number.isNaN(number) ? number : text;
}

function sortBy(heading) {
  const body = heading.closest("table").tBodies[0];
  const down = heading.ariaSort === "ascending";
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.ariaSort = down ? "descending" : "ascending";
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const rows = [...body.rows].sort((one, other) => compare(valueOf(one, heading.cellIndex), valueOf(other, heading.cellIndex)));
  body.append(...(down ? rows.reverse() : rows));
}

// On a phone a row is a block whose cells say what they are.
function prepareTables() {
  for (const heading of document.querySelectorAll("main thead th[scope=col]")) {
    for (const row of heading.closest("table").tBodies[0].rows) {
      row.cells[heading.cellIndex]?.setAttribute("data-heading", heading.textContent.trim());
    }
    if (heading.firstElementChild || !heading.textContent.trim()) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(heading));
    heading.append(button);
  }
}

document.addEventListener("DOMContentLoaded", prepareTables);
document.addEventListener("htmx:after:swap", prepareTables);
