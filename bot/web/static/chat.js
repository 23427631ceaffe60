// The chat: Enter sends, an answer grows where it will stand, and the newest message is in sight.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches("[data-write]")) return;
  event.preventDefault();
  if (event.target.value.trim()) event.target.form.requestSubmit();
});

document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("[data-write]");
  if (field) setTimeout(() => { field.value = ""; }, 0); // by then the form has been read
});

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
