// Comfort only: every page works without this file.
"use strict";

// A button copies the value it stands beside.
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) break; // plain http beyond this machine has none
  const label = button.innerHTML;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.innerHTML = label; }, 2000);
  });
}

// A second press on the same button, while the first is under way, does nothing:
// it could make another key, or send another alert.
const patience = 5000; // milliseconds until somebody may mean it
let sent = new WeakMap();
addEventListener("submit", (event) => {
  if (event.timeStamp - sent.get(event.target) < patience) event.preventDefault();
  else sent.set(event.target, event.timeStamp);
});
addEventListener("pageshow", () => { sent = new WeakMap(); }); // somebody came back

// Dates are shown in the reader's zone; the exact time stays on hover.
for (const time of document.querySelectorAll("time[datetime]")) {
  const date = new Date(time.dateTime);
  const day = { day: "numeric", month: "short", year: "numeric" };
  time.textContent = "clock" in time.dataset
    ? date.toLocaleString(undefined, { ...day, hour: "numeric", minute: "2-digit" })
    : date.toLocaleDateString(undefined, day);
  time.title = date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
}

// Times that somebody chooses are those of the reader's zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone) {
  for (const field of document.querySelectorAll("input[name=zone]")) field.value = zone;
  for (const name of document.querySelectorAll("[data-zone]")) name.textContent = zone;
}

// A page that answers a form takes the address of what it shows, so that
// reloading it does not send the form again.
const shows = document.querySelector("[data-address]");
if (shows) history.replaceState(null, "", shows.dataset.address);

// The answer to an application goes on by itself (Form Post Response Mode).
const answer = document.querySelector("form[data-submit]");
if (answer) answer.submit();
