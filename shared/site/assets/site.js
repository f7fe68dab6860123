// Comfort only: every page works without this file.
"use strict";

// A button copies the value it stands beside.
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) break; // plain http beyond this machine has none
  const label = button.innerHTML;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    button.textContent = "Copied";
    setTimeout(() => { button.innerHTML = label; }, 2000);
  });
}

for (const button of document.querySelectorAll("button[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
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

// What somebody typed into a form that came after the session's end is filled in again
// when the page is back. It stays in the tab until then, without what is secret, and for
// nobody else who signs in there.
const typedKey = "typed";
const person = () => document.querySelector(".masthead .username")?.textContent;
const keeps = (field) => field.name && !field.matches("[type=password], [type=hidden], [autocomplete=one-time-code], [data-secret]");
addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || !person()) return;
  const fields = [...form.elements].filter((field) => field.matches("input, select, textarea") && keeps(field))
    .map(({ name, type, value, checked }) => ({ name, value, checked, box: type === "checkbox" || type === "radio" }));
  const kept = { page: location.pathname + location.search, form: form.getAttribute("action"), person: person(), fields };
  try { sessionStorage.setItem(typedKey, JSON.stringify(kept)); } catch { /* too long: it is not kept */ }
});
if (person()) {
  const kept = JSON.parse(sessionStorage.getItem(typedKey));
  sessionStorage.removeItem(typedKey);
  if (document.querySelector("[data-undone]") && kept?.person === person() && kept.page === location.pathname + location.search) refill(kept);
}

function refill({ form: action, fields }) {
  const forms = [...document.forms].filter((form) => form.method === "post" && form.getAttribute("action") === action);
  for (const { name, value, checked, box } of fields) {
    for (const field of forms.flatMap((form) => [...form.elements])) {
      if (field.name !== name || !keeps(field)) continue;
      if (!box) field.value = value;
      else if (field.value === value) field.checked = checked;
      const panel = field.closest("details");
      if (panel) panel.open = true;
    }
  }
}

// Escape closes the panel that somebody is in, and leads back to the button that opened it.
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  const panel = document.activeElement?.closest("details:has(> summary.button)[open]");
  if (!panel) return;
  panel.open = false;
  panel.querySelector("summary").focus();
});

// Keys that need no other, for who works without a mouse. Each page may add its own.
const keys = new Map([
  ["/", { says: "Search", press: toSearch }],
  ["?", { says: "Show these keys", press: showKeys }],
]);
const keysOff = "keys-off"; // some people dictate, and their words would press keys
const typing = (at) => at.closest("input:not([type=checkbox]), select, textarea, [contenteditable], dialog");
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !person()) return;
  const key = keys.get(event.key);
  if (!key || typing(event.target) || localStorage.getItem(keysOff)) return;
  event.preventDefault();
  key.press();
});

function toSearch() {
  const box = document.getElementById("find") ?? document.getElementById("q");
  if (box?.checkVisibility()) box.focus();
  else document.querySelector("a.finder").click();
}

function showKeys() {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "keys-heading");
  const rows = [...keys].map(([key, { says }]) => `<dt><kbd>${key}</kbd></dt><dd>${says}</dd>`).join("");
  dialog.innerHTML = `<h2 id="keys-heading">Keys</h2><dl class="keys">${rows}</dl>
<label class="choice"><input type="checkbox"><b>Use these keys</b><span class="hint">In this browser. The page of the search box has a button that shows them.</span></label>
<form method="dialog"><button class="button quiet">Close</button></form>`;
  const on = dialog.querySelector("input");
  on.checked = !localStorage.getItem(keysOff);
  on.addEventListener("change", () => on.checked ? localStorage.removeItem(keysOff) : localStorage.setItem(keysOff, "1"));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

for (const button of document.querySelectorAll("button[data-keys]")) {
  button.hidden = false;
  button.addEventListener("click", showKeys);
}

// Whoever clicks on a field of a mapping, or types in it, marks it: the next click in the
// sample fills it. Passing through with the keyboard marks nothing.
for (const pick of document.querySelectorAll(".pick")) {
  const mark = ({ target }) => { if (target.type === "text") pick.querySelector("[type=radio]").checked = true; };
  for (const event of ["click", "input"]) pick.addEventListener(event, mark);
}

// In the list of alerts several are checked, to be changed together.
const list = document.querySelector(".marking");
const boxes = list ? [...list.querySelectorAll("tbody input[type=checkbox]")] : [];
if (boxes.length) {
  const all = list.querySelector("[name=all]"), whole = document.createElement("label"), told = list.querySelector("[data-checked]");
  const count = () => {
    const n = boxes.filter((box) => box.checked).length;
    told.textContent = all?.checked ? "" : `${n} checked`;
    whole.firstElementChild.checked = n === boxes.length;
  };
  const checkAll = (checked) => {
    for (const box of boxes) box.checked = checked;
    count();
  };
  whole.innerHTML = `<input type="checkbox"> Check all of this page`;
  document.querySelector(".tools [data-live]").before(whole);
  whole.addEventListener("change", ({ target }) => checkAll(target.checked));
  list.addEventListener("change", count);
  list.querySelector("#to").addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); list.querySelector("[value=assign]").click(); }
  });
  addEventListener("pageshow", count); // the browser may have checked some again
  count();

  // a and r are for what is checked, else for the row that has the focus.
  const deed = (name) => {
    const box = row()?.querySelector("input[type=checkbox]");
    if (!all?.checked && !boxes.some((one) => one.checked)) {
      if (!box) return;
      box.checked = true;
    }
    list.querySelector(`[value=${name}]`).click();
  };
  keys.set("x", { says: "Check the alert", press: () => row()?.querySelector("input[type=checkbox]")?.click() });
  keys.set("*", { says: "Check all of this page, and then all that match", press() {
    if (all && boxes.every((box) => box.checked)) all.checked = true;
    checkAll(true);
  } });
  keys.set("a", { says: "Acknowledge", press: () => deed("acknowledge") });
  keys.set("r", { says: "Resolve", press: () => deed("resolve") });
}

// j and k go from row to row, also after a deed, when the page is a new one.
const rows = list ? [...list.querySelectorAll("tbody tr")] : [];
const row = () => rows.find((one) => one.contains(document.activeElement));
const rowKey = "row " + location.pathname;
if (rows.length) {
  const address = (one) => one.querySelector("a").href;
  const kept = JSON.parse(sessionStorage.getItem(rowKey));
  sessionStorage.removeItem(rowKey);
  const still = rows.findIndex((one) => address(one) === kept?.address);
  const begin = kept && still < 0 ? kept.place - 1 : still;
  const move = (by) => {
    const to = (row() ? rows.indexOf(row()) : begin) + by;
    rows[Math.max(0, Math.min(rows.length - 1, to))].querySelector("a").focus();
  };
  list.addEventListener("submit", () => {
    if (row()) sessionStorage.setItem(rowKey, JSON.stringify({ address: address(row()), place: rows.indexOf(row()) }));
  });
  keys.set("j", { says: "To the next alert", press: () => move(1) });
  keys.set("k", { says: "To the alert before", press: () => move(-1) });
}

// On the page of an alert the same keys are for that alert.
const next = document.querySelector(".back .next");
if (next) {
  const press = (status) => document.querySelector(`.actions form:has([name=status][value=${status}]) button`)?.click();
  keys.set("j", { says: "To the next open alert", press: () => next.click() });
  keys.set("a", { says: "Acknowledge", press: () => press("acknowledged") });
  keys.set("r", { says: "Resolve", press: () => press("resolved") });
}

// How many alerts there are is asked again while somebody may look: every half minute at
// first, and less often the longer nothing changes.
const live = document.querySelector("[data-live]");
if (live) {
  const soon = 30_000, late = 300_000, title = document.title;
  const shown = [...document.querySelectorAll("[data-count]")];
  let known = shown.length ? Object.fromEntries(shown.map((it) => [it.dataset.count, Number(it.textContent)])) : null;
  let wait = soon, timer;
  const ask = async () => {
    clearTimeout(timer);
    if (document.hidden) return;
    try {
      const answer = await fetch(live.dataset.live, { redirect: "error", headers: { Accept: "application/json" } });
      if (answer.ok) tell(await answer.json());
    } catch { /* offline, or signed out: the next time may do */ }
    timer = setTimeout(ask, wait);
    wait = Math.min(late, wait * 1.5);
  };
  const tell = (numbers) => {
    const changed = known && Object.keys(numbers).some((name) => numbers[name] !== known[name]);
    known ??= numbers;
    for (const it of shown) it.textContent = numbers[it.dataset.count] ?? it.textContent;
    if (!changed) return;
    const fresh = numbers.all - known.all;
    document.querySelector("[data-news]").textContent = fresh > 0 ? `${fresh} new` : "The list has changed";
    document.title = `(${numbers.open}) ${title}`;
    wait = soon;
  };
  addEventListener("visibilitychange", () => { if (!document.hidden) { wait = soon; ask(); } });
  timer = setTimeout(ask, wait);
}

// Dates are shown in the reader's zone, those of the last day by how long ago they were, as
// the server does; the exact time stays on hover.
const dates = [...document.querySelectorAll("time[datetime]")].map((time) => [time, new Date(time.dateTime)]);
const ago = (date) => {
  const minutes = (Date.now() - date) / 60_000;
  if (minutes < 0 || minutes >= 24 * 60) return null;
  return minutes < 1 ? "just now" : minutes < 60 ? `${Math.floor(minutes)} min ago` : `${Math.floor(minutes / 60)} h ago`;
};
function tellDates() {
  for (const [time, date] of dates) {
    const day = { day: "numeric", month: "short", year: "numeric" };
    time.textContent = "clock" in time.dataset
      ? ago(date) ?? date.toLocaleString(undefined, { ...day, hour: "numeric", minute: "2-digit" })
      : date.toLocaleDateString(undefined, day);
  }
}
for (const [time, date] of dates) time.title = date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
tellDates();
if (dates.length) setInterval(tellDates, 30_000);

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

// A passkey answers a form, which is sent with the answer.
const keyed = document.querySelector("form[data-passkey]");
if (keyed) {
  const texts = [...keyed.querySelectorAll("[data-error]")];
  let asking = false;
  const ask = async () => {
    if (asking) return;
    asking = true;
    for (const text of texts) text.hidden = true;
    try {
      const options = JSON.parse(keyed.dataset.options), { credentials } = navigator;
      keyed.elements.answer.value = JSON.stringify(keyed.dataset.passkey === "create"
        ? await credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }));
      keyed.submit();
    } catch ({ name }) {
      (texts.find((text) => text.dataset.error === name) ?? texts.at(-1)).hidden = false;
    }
    asking = false;
  };
  keyed.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  if ("start" in keyed.dataset) ask();
}
