// Works through 120 open alerts in Chromium the way people do at three in the morning: with
// few clicks, with few keys, with two taps on a phone, and without JavaScript.
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

const many = 120;
const looks = [
  { name: "triage-desktop-light", viewport: { width: 1280, height: 800 }, colorScheme: "light", timezoneId: "Europe/Berlin" },
  { name: "triage-phone-dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" },
  { name: "triage-without-script", viewport: { width: 320, height: 640 }, colorScheme: "light", javaScriptEnabled: false },
];

let walks = 0;
await inEveryLook("triage", async (visit) => {
  const night = await arrange(++walks);
  await visit.open(`${base}${night.list}`);
  await visit.signIn(night.nora);
  await beginsWithAlerts(visit);
  await visit.look("triage-list");
  if (visit.page.viewportSize().width === 390) await twoTaps(visit, night);
  await clicks(visit, night);
  if (visit.page.viewportSize().width === 1280) {
    await reopen(night);
    await keys(visit, night);
    await news(visit, night);
  }
  await filters(visit, night);
  await mistakes(visit, night);
}, looks);

// arrange makes a project in which 120 alerts are open.
async function arrange(n) {
  const nora = `nora-triage-${n}`;
  const user = await newUser(nora, "Nora Nachtigall");
  const group = await call("POST", "/groups", { name: "Mill", path: `mill-${n}` });
  const project = await call("POST", "/projects", { name: "Wheels", namespace_id: group.id });
  await call("POST", `/projects/${project.id}/members`, { user_id: user.id, access_level: 30 });
  await call("POST", `/projects/${project.id}/environments`, { name: "production" });
  const monitor = `/projects/${project.id}/monitor`;
  const integration = await call("POST", `${monitor}/integrations`, { name: "Watch", type: "http", active: true, rate_limit: 1000 });
  const night = { nora, user, monitor, integration, list: `/console/${project.path_with_namespace}/alerts` };
  for (let first = 0; first < many; first += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, at) => fire(night, first + at)));
  }
  return night;
}

async function fire({ integration }, n) {
  const answer = await fetch(integration.url, {
    method: "POST", headers: { Authorization: `Bearer ${integration.authorization_key}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      title: `The wheel ${n} of the old mill stands still`, severity: ["critical", "high", "low"][n % 3], service: "wheels", hosts: [`mill-${n % 5}`],
      fingerprint: `wheel-${n}`, runbook: "https://runbooks.example.com/wheel", platform_environment_name: "production", description: "No flour tomorrow.",
    }),
  });
  assert.equal(answer.status, 200);
}

// numbers counts the alerts by status, as the list's header says it.
async function counted({ monitor }, status) {
  let n = 0;
  for (let page = 1; ; page++) {
    const some = await call("GET", `${monitor}/alerts?per_page=100&page=${page}&status=${status}`);
    n += some.length;
    if (some.length < 100) return n;
  }
}

// reopen has all alerts triggered again, a hundred at a time.
async function reopen({ monitor }) {
  const all = Array.from({ length: many }, (_, n) => n + 1);
  for (const iids of [all.slice(0, 100), all.slice(100)]) {
    const answers = await call("PUT", `${monitor}/alerts`, { iids, status: "triggered", assignee_id: null, silenced_until: null });
    assert.ok(answers.every(({ iid, ok }, n) => ok && iid === iids[n]), "each number has its answer");
  }
}

// beginsWithAlerts checks that the first alert is on the first screen.
async function beginsWithAlerts(visit) {
  const { page } = visit, { y, height } = await page.locator("table.alerts tbody tr").first().boundingBox();
  const screen = page.viewportSize().height;
  console.log(`triage: the first alert ends at ${Math.round(y + height)} of ${screen} px`);
  if (visit.scripted) assert.ok(y + height <= screen, `the first alert ends at ${y + height} of ${screen} px`);
}

// leads waits for the page to which something leads.
async function leads(page, act) {
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }), act()]);
  await page.locator("[autofocus]:focus").waitFor();
}

// twoTaps opens an alert, whose runbook is there at once, and acknowledges it.
async function twoTaps(visit, night) {
  const { page } = visit;
  const before = await counted(night, "acknowledged");
  let taps = 0;
  const tap = (what) => (taps++, visit.hit(what));
  await tap("table.alerts tbody tr .title a");
  const runbook = page.locator("main a[href='https://runbooks.example.com/wheel']").first();
  const { y, height } = await runbook.boundingBox(), bar = await page.locator(".deeds").boundingBox();
  assert.ok(y + height <= bar.y, `the runbook is at ${y} px, the buttons are at ${bar.y}`);
  await visit.look("triage-alert");
  await tap(".deeds form:has([value=acknowledged]) button");
  assert.match(await page.textContent("[role=status]"), /You acknowledged the alert/);
  assert.equal(await counted(night, "acknowledged"), before + 1);
  console.log(`triage: the runbook was seen and an alert acknowledged in ${taps} taps`);
  assert.ok(taps <= 2);
  await visit.hit(".back .next");
  assert.match(visit.path(), new RegExp(`/alerts/${many - 1}$`), "the next open alert is the one below");
  await visit.open(`${base}${night.list}`);
}

// clicks acknowledges all alerts with few clicks.
async function clicks(visit, night) {
  const { page } = visit;
  let clicks = 0;
  const click = async (what, stays) => {
    clicks++;
    const press = () => page.locator(what).first().click();
    return stays ? press() : leads(page, press);
  };
  await click(visit.scripted ? ".tools > label input" : "tbody input[type=checkbox]", true);
  if (visit.scripted) assert.equal(await page.textContent("[data-checked]"), "20 checked");
  await visit.look("triage-checked");
  await click("[name=all]", true);
  await click(".marked [value=acknowledge]");
  assert.match(await page.textContent("form.notice"), /100 alerts are acknowledged/);
  await visit.look("triage-halfway");
  await click("form.notice button");
  assert.match(await page.textContent("main [role=status].notice"), /You acknowledged the alerts/);
  assert.deepEqual([await counted(night, "triggered"), await counted(night, "acknowledged")], [0, many]);
  console.log(`triage: ${many} alerts were acknowledged with ${clicks} clicks`);
  assert.ok(clicks <= 5);
}

// keys does the same with few keys, and then works on single alerts.
async function keys(visit, night) {
  const { page } = visit;
  await visit.open(`${base}${night.list}`);
  let presses = 0;
  const press = (key) => (presses++, page.keyboard.press(key));
  await press("*");
  await press("*");
  await leads(page, () => press("a"));
  await leads(page, () => press("Enter"));
  assert.deepEqual([await counted(night, "triggered"), await counted(night, "acknowledged")], [0, many]);
  console.log(`triage: ${many} alerts were acknowledged with ${presses} keys`);
  assert.ok(presses <= 10);

  await reopen(night);
  await visit.open(`${base}${night.list}?severity=critical`);
  const row = (n) => page.locator("table.alerts tbody tr").nth(n), at = (n) => row(n).locator("a").evaluate((it) => it === document.activeElement);
  for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
  assert.ok(await at(1), "j and k go from row to row");
  await leads(page, () => page.keyboard.press("a"));
  assert.match(await row(1).textContent(), /Acknowledged/);
  await page.keyboard.press("j");
  assert.ok(await at(2), "j goes on below the row");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  assert.equal(await page.textContent("[data-checked]"), "2 checked");
  await page.keyboard.press("Control+a");
  await leads(page, () => page.keyboard.press("r"));
  assert.match(await page.textContent("main [role=status].notice"), /You resolved the alerts/);
  assert.equal(await counted(night, "resolved"), 2);

  await page.keyboard.press("j");
  await visit.submit("Enter");
  await leads(page, () => page.keyboard.press("a"));
  assert.match(await page.textContent("[role=status]"), /You acknowledged the alert/);
  const here = visit.path();
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.keyboard.press("j")]);
  assert.notEqual(visit.path(), here);
  assert.match(page.url(), /\?severity=critical$/, "the next open alert is of the same list");
  await visit.follow(".back a");
  assert.match(page.url(), /alerts\?severity=critical$/);

  await page.keyboard.press("?");
  assert.match(await page.textContent("dialog"), /Acknowledge[^]*Resolve/);
  await visit.look("triage-keys");
  await page.keyboard.press("Space"); // switches them off
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("*");
  assert.equal(await page.locator("tbody :checked").count(), 0, "keys that are switched off do nothing");
  await page.evaluate(() => localStorage.clear());
  await page.keyboard.press("/");
  await page.keyboard.press("a");
  assert.equal(await page.inputValue("#find"), "a", "in a field they are letters");
}

// news comes without a new page, and a link shows it.
async function news(visit, night) {
  const { page } = visit;
  await visit.open(`${base}${night.list}`);
  const count = page.locator("[data-count=open]"), before = Number(await count.textContent());
  await fire(night, 1000);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await page.getByText("1 new", { exact: true }).waitFor();
  assert.equal(Number(await count.textContent()), before + 1);
  assert.match(await page.title(), new RegExp(`^\\(${before + 1}\\) Alerts`));
  await visit.look("triage-news");
  await visit.follow("[data-live]");
  assert.match(await page.textContent("table.alerts tbody tr"), /wheel 1000[^]*just now/);
}

// filters stay on the way back from an alert and after a deed.
async function filters(visit, night) {
  const { page } = visit;
  const query = `?assignee=${night.nora}&environment=production&host=mill-1&integration=${night.integration.id}`;
  const iids = (await call("GET", `${night.monitor}/alerts?host=mill-1`)).map(({ iid }) => iid).slice(0, 2);
  await call("PUT", `${night.monitor}/alerts`, { iids, assignee_id: night.user.id, status: "triggered" });
  await visit.open(`${base}${night.list}`);
  await visit.follow("main .tools a");
  assert.equal(page.url(), `${base}${night.list}?assignee=${night.nora}`);
  assert.equal(await page.locator("tbody tr").count(), 2);
  await visit.open(`${base}${night.list}${query}`);
  await visit.look("triage-filtered");
  await visit.follow("tbody .title a");
  await visit.follow(".deeds form:has([value=acknowledged]) button");
  await visit.follow(".back a");
  assert.equal(page.url(), `${base}${night.list}${query}`);
  await leads(page, () => page.locator("button[name=one]").first().click());
  assert.match(await page.textContent("main [role=status]"), /You acknowledged the alert/);
  assert.equal(page.url(), `${base}${night.list}${query}`);
  await visit.follow("tbody .title a");
  await visit.follow(".back .next");
  assert.equal(visit.path(), `${night.list}/${iids[1]}`);
}

// mistakes keep what was checked and typed.
async function mistakes(visit, night) {
  const { page } = visit;
  await visit.open(`${base}${night.list}`);
  await page.locator("tbody input[type=checkbox]").first().click();
  await page.locator(".marked summary").click();
  await page.fill("#to", "nobody-at-all");
  await leads(page, () => page.locator("[value=assign]").click());
  assert.equal(await visit.focused("#to"), true, "the field with the mistake has the focus");
  assert.equal(await page.locator("tbody :checked").count(), 1);
  await visit.look("triage-nobody");
  await page.fill("#to", night.nora);
  await leads(page, () => visit.scripted ? page.keyboard.press("Enter") : page.locator("[value=assign]").click());
  assert.match(await page.textContent("main [role=status].notice"), /The alert was assigned/);
}
