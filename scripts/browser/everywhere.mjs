// Looks at every page that docs/who-may.md lists, so that a new page without a visit fails:
// with nothing on it, with much on it, and with the mistakes of every form that was sent
// empty. Of each it checks what axe-core finds in every look, that the keyboard reaches
// everything and sees where it is, that a panel keeps the focus, and that the page does
// without its script and without scrolling sideways at 320 px.
//
// GATEHOUSE_VERBOSE  lists the pages (optional)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { violations } from "./axe.mjs";
import { call, newUser } from "./rest.mjs";
import { base, launch, nameless, password } from "./visit.mjs";

const tabs = 3; // pages that are looked at together

// documented lists the pages and forms in the table of who may do what.
function documented(method) {
  const page = readFileSync(new URL("../../functions/docs/who-may.md", import.meta.url), "utf8");
  const table = page.split(/^## /m).find((section) => section.startsWith("Pages and forms"));
  const all = [...table.matchAll(/^\| `(\w+) (\S+)`/gm)].filter((row) => row[1] === method && !/^\/assets\/|\.json$/.test(row[2])).map((row) => row[2]);
  const literal = (path) => path.replace(/\{[^}]+\}/g, "").length;
  return all.sort((a, b) => literal(b) - literal(a)).map((path) => ({ path, matches: matcher(path) }));
}

// matcher matches addresses of a page; a project or group may be named by its path.
function matcher(path) {
  const place = path.startsWith("/console/{") ? "(?!-/)[^/]+(?:/[^/]+)?" : "[^/]+";
  return new RegExp(`^${path.replace("{$}", "").replace(/\{/, "{@").replace(/\{@[^}]+\}/, place).replace(/\{[^}]+\}/g, "[^/]+")}$`);
}

const pages = documented("GET"), forms = documented("POST");
const patternOf = (list, url) => list.find(({ matches }) => matches.test(new URL(url, base).pathname))?.path;

// furnish makes a thing of every kind in a project, and returns its page.
async function furnish(root) {
  const project = await call("POST", "/projects", { name: "Oven", path: "everything" });
  const monitor = `/projects/${project.id}/monitor`, home = `/console/${project.path_with_namespace}`;
  await call("PUT", `${monitor}/settings`, { create_incident: false });
  const integration = await call("POST", `${monitor}/integrations`, { name: "Uptime", type: "http", active: true });
  for (const [n, severity] of ["critical", "high", "medium", "low", "info", "unknown"].entries()) {
    await deliver(integration, { title: `Oven ${n} is cold`, severity, service: "oven", hosts: ["oven-1"], description: "It **was** warm.", monitoring_tool: "Uptime", runbook: "https://wiki.example/oven",
      labels: { alertname: "OvenCold", team: "bakery", [`name.${"x".repeat(110)}`]: "y".repeat(500) },
      silenceURL: "https://tool.example/silence", dashboardURL: "https://tool.example/d", panelURL: "https://tool.example/p", generatorURL: "https://tool.example/g" });
  }
  await call("PUT", `${monitor}/alerts/2`, { status: "acknowledged" });
  await call("POST", `${monitor}/incidents`, { title: "No bread", description: "- flour\n- water" });
  await call("POST", `${monitor}/incidents/1/alerts`, { alert_iid: 1 });
  const schedule = await call("POST", `${monitor}/schedules`, { name: `Night ${"x".repeat(90)}`, timezone: "UTC" });
  const shift = { name: "First", starts_at: "2026-01-01T09:00", length: { value: 1, unit: "weeks" }, participants: [root.id] };
  const rotation = await call("POST", `${monitor}/schedules/${schedule.id}/rotations`, shift);
  await call("POST", `${monitor}/schedules/${schedule.id}/overrides`, { overrides: [{ user_id: root.id, starts_at: "2199-01-01T00:00:00Z", ends_at: "2199-01-02T00:00:00Z" }] });
  const webhook = await call("POST", `${monitor}/webhooks`, { url: "https://hook.example/b" });
  await call("POST", `/projects/${project.id}/environments`, { name: "production" });
  await call("PUT", `/projects/${project.id}/error_tracking/settings`, { active: true, integrated: true });
  await call("POST", `/projects/${project.id}/error_tracking/client_keys`);
  const member = await newUser("baker", "Bo Baker");
  await call("POST", `/projects/${project.id}/members`, { user_id: member.id, access_level: 30 });
  return ["", `/members/${member.id}`, "/alerts", "/alerts/1", "/alerts/1/assignee", "/alerts/2", "/incidents", "/incidents/1", "/incidents/1/assignee", "/oncall", `/oncall/${schedule.id}`, `/oncall/${schedule.id}/rotations/${rotation.id}`, `/settings/webhooks/${webhook.id}`,
    `/settings/integrations/${integration.id}`, `/settings/integrations/${integration.id}/mapping`, "/settings/undelivered"].map((page) => home + page);
}

async function deliver(integration, payload) {
  const answer = await fetch(integration.url, { method: "POST", body: JSON.stringify(payload), headers: { Authorization: `Bearer ${integration.authorization_key}`, "Content-Type": "application/json" } });
  assert.ok(answer.ok, `the integration answered ${answer.status}`);
}

// furnishOwn makes what an administrator has of their own, and returns the pages.
async function furnishOwn() {
  const application = await call("POST", "/applications", { name: "Weather", redirect_uri: "https://app.example/callback", scopes: "api read_user" });
  const token = await call("POST", "/user/personal_access_tokens", { name: "Deploy", scopes: ["read_user"] });
  await call("POST", "/user/webhooks", { url: "https://hook.example/a" });
  await call("POST", "/user/notifications/test");
  await call("POST", "/groups", { name: "Bakery", path: "bakery" });
  const consent = `/oauth/authorize?${new URLSearchParams({ client_id: application.application_id, redirect_uri: "https://app.example/callback", response_type: "code", scope: "api" })}`;
  return [consent, `/user_settings/applications/${application.id}`, `/user_settings/personal_access_tokens/${token.id}`, "/user_settings/memberships/groups",
    "/user_settings/memberships/projects", "/users/root", "/admin/mails/1", "/nowhere"];
}

// start returns what the pages without a parameter begin with.
const plain = pages.map(({ path }) => path.replace("{$}", "")).filter((path) => !path.includes("{"));

// person looks at pages in a browser of their own.
async function person(browser, name) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  if (name) {
    const page = await context.newPage();
    await page.goto(`${base}/users/sign_in`);
    await page.fill("#login", name);
    await page.fill("#password", password);
    await Promise.all([page.waitForURL((url) => url.pathname !== "/users/sign_in"), page.keyboard.press("Enter")]);
    await page.close();
  }
  const scriptless = await browser.newContext({ viewport: { width: 320, height: 640 }, javaScriptEnabled: false, storageState: await context.storageState() });
  return { name: name || "nobody", context, scriptless };
}

const seen = new Set();     // the pages that somebody saw
const pressed = new Set();  // the pages on which the keyboard was used
const sendable = new Map(); // where each form is that has something to fill in
const wrong = [];
const complain = (what) => { wrong.push(what); console.error(what); };

// each works through the list, of which several at a time. What comes meanwhile is
// worked through as well.
async function each(list, work) {
  let busy = 0;
  const worker = async () => {
    for (;;) {
      const next = list.shift();
      if (next === undefined && !busy) return;
      if (next === undefined) { await new Promise((resolve) => setTimeout(resolve, 20)); continue; }
      busy++;
      let late;
      await Promise.race([work(next), new Promise((resolve) => { late = setTimeout(() => resolve(complain(`${JSON.stringify(next)} took a minute`)), 60_000); })]).finally(() => busy--);
      clearTimeout(late);
    }
  };
  await Promise.all(Array.from({ length: tabs }, worker));
}

// crawl looks at these pages and at those that links lead to, with and without a query.
async function crawl(who, starts, follow = () => true) {
  const found = new Set(), kinds = new Set(), queue = [];
  const add = (address) => {
    const url = new URL(address, base), pattern = patternOf(pages, url) ?? url.pathname;
    const kind = `${pattern} ${url.search ? "?" : ""}`;
    if (found.has(url.pathname + url.search) || kinds.has(kind)) return;
    found.add(url.pathname + url.search);
    kinds.add(kind);
    queue.push(url.pathname + url.search);
  };
  starts.forEach(add);
  const free = await Promise.all(Array.from({ length: tabs }, async () => ({ page: await who.context.newPage(), bare: await who.scriptless.newPage() })));
  await each(queue, async (address) => {
    const desk = free.pop();
    try {
      const links = await lookAt(who, desk, address);
      links.filter((link) => patternOf(pages, link) && follow(link)).forEach(add);
    } catch (error) {
      complain(`${who.name}, ${address}: ${error.message}`);
    }
    free.push(desk);
  });
  for (const { page, bare } of free) await Promise.all([page.close(), bare.close()]);
  return found;
}

// lookAt checks a page, and returns where its links lead.
async function lookAt(who, { page, bare }, address) {
  if (address.startsWith("/admin/audit.csv")) return seen.add("/admin/audit.csv"), []; // see admin.mjs
  const answer = await page.goto(base + address);
  const shown = patternOf(pages, page.url()) ?? address;
  seen.add(patternOf(pages, address)).add(shown);
  if (process.env.GATEHOUSE_VERBOSE) console.log(`${who.name} ${answer.status()} ${address}`);
  const links = await page.$$eval("a[href]", (all) => all.map((it) => it.href.split("#")[0]));
  for (const it of await page.$$eval("form[method=post]", sendables)) {
    const form = patternOf(forms, it.action);
    if (!sendable.has(form)) sendable.set(form, { who, address, ...it });
  }
  const expect = (got, want, what) => { if (JSON.stringify(got) !== JSON.stringify(want)) complain(`${who.name}, ${address}: ${what}: ${got.join("\n    ")}`); };
  const again = pressed.has(shown);
  expect(await violations(page, { again }), [], "axe-core finds something");
  await withoutScript(bare, address, expect);
  if (!again) {
    pressed.add(shown);
    expect(await openPanels(page), [], "a panel loses the focus");
    const { came, expected, faint } = await byKeyboard(page);
    expect(came, expected, "Tab does not reach everything in its order, only");
    expect(faint, [], "the focus cannot be seen");
  }
  assert.ok(answer.status() < 500, `it answered ${answer.status()}`);
  return links.filter((link) => link.startsWith(`${base}/`) && !/\/assets\/|\.ics/.test(link));
}

// sendables lists the forms that have something to fill in.
function sendables(all) {
  const text = "textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=search], [readonly])";
  return all.map((it, index) => ({ index, action: it.action, fields: it.querySelectorAll(text).length })).filter((it) => it.fields);
}

// withoutScript checks the page as it is without its script, on the narrowest screen.
async function withoutScript(page, address, expect) {
  await page.goto(base + address);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  expect(wide ? ["at 320 px"] : [], [], "it scrolls sideways");
  expect(await page.evaluate(nameless), [], "it has something without a name, or an id twice");
  expect(await page.evaluate(useless), [], "it has something that does nothing without the script");
}

// useless lists what needs the script: a button that sends nothing, and a field, link or
// button to send with that only the script shows. A hidden button that sends nothing is a
// comfort, and a hidden user name is for programs that keep passwords.
function useless() {
  const hidden = (it) => it.closest("[hidden]") && it.autocomplete !== "username";
  const sends = (it) => it.type === "submit" && it.form?.hasAttribute("method");
  const controls = [...document.querySelectorAll("button, a, select, textarea, input:not([type=hidden])")];
  return controls.filter((it) => {
    if (it.matches("button")) return it.type === "button" ? !hidden(it) : hidden(it) || !sends(it);
    return hidden(it) || (it.matches("a") ? !it.getAttribute("href") : !it.form);
  }).map((it) => it.outerHTML.slice(0, 200));
}

// openPanels opens and closes each panel with the keyboard, and returns which of them lost
// the focus.
async function openPanels(page) {
  const lost = [];
  for (const summary of await page.$$("details > summary")) {
    if (!await summary.isVisible()) continue;
    const name = (await summary.textContent()).trim();
    for (const key of ["Enter", "Escape"]) {
      if (key === "Enter") await summary.focus();
      await page.keyboard.press(key);
      if (await page.evaluate(() => document.activeElement === document.body)) lost.push(`${key} at ${name}`);
    }
    await summary.evaluate((it) => { it.parentElement.open = false; });
  }
  return lost;
}

// byKeyboard goes through the page with the keyboard, and returns what it comes to, what it
// should come to, and where nobody sees the focus.
async function byKeyboard(page) {
  const { expected, presses } = await page.evaluate(remember);
  for (let n = 0; n < presses; n++) await page.keyboard.press("Tab");
  const { came, faint } = await page.evaluate(() => window.walked);
  return { expected, came: came.slice(0, expected.length), faint };
}

// remember lists what Tab should reach, and has the page note what it does.
function remember() {
  const top = Object.assign(document.createElement("span"), { tabIndex: -1 });
  document.body.prepend(top);
  top.focus();
  top.remove();
  const name = (it) => `${it.tagName} ${it.id || it.name || it.textContent.trim().slice(0, 40)}`;
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")];
  const first = (it) => it.type !== "radio" || it === (document.querySelector(`input[name="${it.name}"]:checked`) ?? document.querySelector(`input[name="${it.name}"]`));
  window.walked = { came: [], faint: [] };
  document.addEventListener("focusin", ({ target }) => {
    window.walked.came.push(name(target));
    const seen = [target, ...target.labels ?? []].some((it) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(it);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 || boxShadow !== "none";
    });
    if (!seen) window.walked.faint.push(name(target));
  });
  const expected = all.filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.disabled && it.tabIndex === 0 && first(it));
  const parts = expected.filter((it) => /^(date|time)/.test(it.type)).length; // each has several stops
  return { expected: expected.map(name), presses: expected.length + 7 * parts };
}

// sendEmpty sends a form with nothing in it, and looks at what it says to that.
async function sendEmpty({ who, address, index, action }) {
  const page = await who.context.newPage();
  try {
    await page.goto(base + address);
    const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.evaluate((index) => {
      const form = document.querySelectorAll("form[method=post]")[index];
      for (const it of form.querySelectorAll("textarea, input:not([type=hidden], [type=checkbox], [type=radio])")) it.value = "";
      form.noValidate = true;
      setTimeout(() => form.querySelector("button:not([type=button])").click());
    }, index)]);
    assert.ok(answer.status() < 500, `answered ${answer.status()}`);
    if (answer.status() < 400) return;
    if (process.env.GATEHOUSE_VERBOSE) console.log(`${who.name} ${answer.status()} POST ${action}`);
    const found = await violations(page, { again: true });
    if (found.length) complain(`${who.name}, ${address}, the form to ${action}: ${found.join("\n    ")}`);
    assert.ok(await page.locator(".complaint, [role=alert]").count(), `${action} does not say what is missing`);
    assert.ok(await page.evaluate(() => document.activeElement !== document.body), `${action} drops the focus`);
  } catch (error) {
    complain(`${who.name}, ${address}, the form to ${action}: ${error.message}`);
  } finally {
    await page.close();
  }
}

const root = await call("GET", "/user");
const of = async (username) => { await newUser(username, "Nele Newcomer"); return username; };
const [filled, own] = [await furnish(root), await furnishOwn()];
const empty = await call("POST", "/projects", { name: "Empty", path: "empty" });
const browser = await launch();
try {
  const people = await Promise.all([person(browser, "root"), of("newcomer").then((name) => person(browser, name)), person(browser, "")]);
  let looked = 0;
  looked += (await crawl(people[0], [...filled, ...own, ...plain.filter((path) => !/^\/users\/(sign_in|two_factor)/.test(path))])).size;
  looked += (await crawl(people[0], [`/console/${empty.path_with_namespace}`], (link) => link.includes(`/console/${empty.path_with_namespace}`))).size;
  looked += (await crawl(people[1], plain.filter((path) => !path.startsWith("/admin") && !path.startsWith("/users")))).size;
  looked += (await crawl(people[2], plain.filter((path) => path.startsWith("/users") || path.startsWith("/-/") || path === "/"))).size;
  const sent = [...sendable.values()];
  await each([...sent], sendEmpty);
  for (const { path } of pages) if (!seen.has(path)) complain(`nobody looked at ${path}: let a link lead there, or add it to furnish`);
  assert.equal(wrong.length, 0, "something is wrong with pages, see above");
  console.log(`everywhere: ${looked} pages of ${seen.size} kinds, and ${sent.length} forms that were sent empty, are fine in every look`);
} finally {
  if (process.env.GATEHOUSE_VERBOSE) {
    const cdp = await browser.newBrowserCDPSession();
    console.log((await cdp.send("SystemInfo.getProcessInfo")).processInfo.map((it) => `${it.type} ${it.cpuTime.toFixed(1)}`).join(", "));
  }
  await browser.close();
}
