// The chat: Enter sends, an answer grows where it will stand, and the newest message is in sight.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches("[data-write]")) return;
  event.preventDefault();
  if (event.target.value.trim()) event.target.form.requestSubmit();
});

// Only what the form itself sends: the page is shown anew by a request of the body, within which the field stands, too.
function fieldOf(target) {
  return target.matches?.("form") ? target.querySelector("[data-write]") : null;
}

document.addEventListener("htmx:before:request", ({ target }) => { // the form has been read
  const field = fieldOf(target);
  if (!field) return;
  field.value = "";
  target.querySelector("[data-unsent]").hidden = true;
});

// What was not taken, as the login has ended or nobody is there, stands in the field again.
function showUnsent({ target, detail }) {
  const field = fieldOf(target);
  if (!field) return;
  field.value = [detail.ctx.request.body.get(field.name), field.value].filter(Boolean).join("\n");
  const unsent = target.querySelector("[data-unsent]");
  const page = new DOMParser().parseFromString(detail.ctx.text ?? "", "text/html");
  unsent.dataset.unsent ||= unsent.textContent;
  unsent.textContent = page.getElementById("failure")?.textContent ?? unsent.dataset.unsent;
  unsent.hidden = false;
}

document.addEventListener("htmx:error", showUnsent);
document.addEventListener("htmx:response:error", showUnsent);

document.addEventListener("progress", (event) => {
  const { html, doing } = event.detail;
  const answer = document.querySelector("[data-so-far]");
  if (!answer) return;
  answer.innerHTML = html; // made safe by the server, as everything that it shows
  if (doing) document.querySelector("[data-doing]").textContent = doing;
  showNewest();
});

function showNewest() {
  const conversation = document.querySelector(".conversation");
  if (conversation) conversation.scrollTop = conversation.scrollHeight;
}

document.addEventListener("DOMContentLoaded", () => {
  showNewest();
  new MutationObserver(showNewest).observe(document.querySelector(".talk"), { childList: true, subtree: true });
});
