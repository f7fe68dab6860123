// Uses the pages about alerts in Chromium, as visit.mjs says, the way a new
// maintainer would: from no integration to a mapped test alert in the list, and
// through the work on it.
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

// endless has no place where a line could end.
const endless = "x".repeat(120);

// payload calls everything something else than an alert does.
const payload = JSON.stringify({
  check: { id: "disk-web-1", name: "Disk almost full on web-1", area: "web" }, level: "high",
  description: "93% of /var is used.", place: endless, hosts: ["web-1"], runbook: "https://runbooks.example.com/disk",
});
// mapped is where the fields are, as people read it.
const mapped = { title: "check.name", service: "check.area", severity: "level", fingerprint: "check.id", platform_environment_name: "place" };

let walks = 0, username;
await inEveryLook("alerts", async (visit) => {
  username = `alerted-${++walks}`;
  const maintainer = await newUser(username, `Mia ${endless}`);
  const group = await call("POST", "/groups", { name: "Acme", path: `alerting-${walks}-${endless}`, visibility: "private" });
  const project = await call("POST", "/projects", { name: "Web shop", namespace_id: group.id });
  await call("POST", `/groups/${group.id}/members`, { user_id: maintainer.id, access_level: 40 });
  const home = `/console/${project.path_with_namespace}`;

  await signIn(visit, username, home);
  await addEnvironment(visit);
  const integration = await addIntegration(visit, home);
  await mapThePayload(visit, integration);
  await sendTests(visit, home);
  await work(visit, home);
  await find(visit, home);
  await switchToLink(visit, home, integration);
  await resetAndDelete(visit, integration);
});

async function signIn(visit, username, home) {
  await visit.open(`${base}${home}/alerts`);
  await visit.signIn(username);
  assert.equal(visit.path(), `${home}/alerts`);
  assert.match(await visit.page.textContent("h2"), /Nothing sends alerts yet/);
  await visit.look("alerts-without-integration");
}

async function addEnvironment(visit) {
  await visit.follow("main nav a[href$=environments]");
  await visit.look("environments-empty");
  await visit.tabTo("#name");
  await visit.type(endless);
  await visit.submit("Enter");
  await visit.follow("main nav a[href$=alerts]");
}

// addIntegration returns the address of its page.
async function addIntegration(visit, home) {
  const { page } = visit;
  await visit.follow("main .empty a");
  assert.equal(visit.path(), `${home}/settings/integrations`);
  await visit.look("integrations-empty");
  await visit.follow("main .empty a");
  await visit.tabTo("input[type=radio]:checked");
  assert.equal(await page.isVisible("#api_url"), false, "an address waits until its type is chosen");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.isVisible("#api_url"), true);
  await visit.look("integration-metrics");
  await page.keyboard.press("ArrowUp");
  await visit.follow("form .actions button");
  assert.equal(await visit.focused("#name"), true, "the first field with a mistake has the focus");
  await visit.look("integration-complaints");
  await visit.type("Uptime checks");
  if (visit.scripted) await impatiently(visit);
  else await visit.submit("Enter");
  assert.match(await page.textContent("[role=status]"), /was created/);
  const address = visit.path();
  const key = await page.locator("#key").textContent();
  assert.match(key, /^gtin-[0-9a-f]{32}$/);
  assert.equal(await page.isVisible("#key"), false, "the key waits until somebody wants to see it");
  await visit.look("integration-new");
  await visit.tabTo(".reveal summary");
  await page.keyboard.press("Enter");
  assert.equal(await page.isVisible("#key"), true);
  assert.equal(await visit.focused(".reveal summary"), true, "the button keeps the focus");
  for (let n = 0; n < 3; n++) {
    await visit.tabTo(page.locator(".ways-in summary").nth(n));
    await page.keyboard.press("Enter");
  }
  await visit.look("integration-setup");
  await visit.tab("alerts");
  assert.match(await page.textContent("#first-alert"), /^curl -H "Authorization: Bearer <authorization key>"/);
  await visit.look("alerts-empty");
  return address;
}

// impatiently presses again while the form is still on its way, which sends no
// second one.
async function impatiently({ page }) {
  let forms = 0;
  const address = "**/settings/integrations";
  await page.route(address, async (route) => {
    forms++;
    await new Promise((resolve) => setTimeout(resolve, 50));
    await route.continue();
  });
  await Promise.all([page.waitForRequest(address), page.keyboard.press("Enter")]);
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.keyboard.press("Enter")]);
  await page.unroute(address);
  assert.equal(forms, 1);
}

async function mapThePayload(visit, integration) {
  const { page } = visit;
  await visit.open(base + integration);
  await visit.follow("a[href$=mapping]");
  await visit.look("mapping-empty");
  await visit.follow("button[value=read]");
  assert.match(await page.textContent("#sample-complaint"), /Paste a payload/);
  assert.equal(await visit.focused("#sample"), true, "the field with the mistake has the focus");
  await visit.type(payload);
  await visit.follow("button[value=read]");
  await visit.look("mapping-fields");
  await click(visit, "title", mapped.title);
  await click(visit, "severity", mapped.severity);
  for (const [field, place] of Object.entries(mapped)) {
    if (await page.inputValue(`#path_${field}`) === place) continue;
    await visit.tabTo(`#path_${field}`);
    await visit.type(place);
  }
  await visit.submit("Enter"); // which shows the result, and fills nothing
  const preview = await page.textContent("#choices");
  for (const text of ["Disk almost full on web-1", "High", endless, "check.name"]) assert.ok(preview.includes(text), `the preview shows ${text}`);
  await visit.look("mapping-preview");
  await visit.tabTo("#path_title");
  await page.keyboard.press("End");
  await visit.type(".");
  await visit.follow("#choices button[value=save]");
  assert.equal(await visit.focused("#path_title"), true, "the wrong field has the focus");
  assert.match(await page.textContent("#path_title-complaint"), /Title is a path/);
  await visit.look("mapping-refused");
  await visit.tabTo("#path_title");
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await asText(visit);
  await hostileSample(visit, integration);
  await visit.follow("#choices button[value=save]");
  assert.match(await page.textContent("[role=status]"), /mapping was saved/);
  await visit.look("integration-mapped");
}

// click marks a field with the arrow keys, and takes a value of the sample for it.
async function click(visit, field, place) {
  const { page } = visit, leaf = `button[name=take][value="${place}"]`;
  await visit.tabTo("input[name=field]:checked");
  while (await page.inputValue("input[name=field]:checked") !== field) await page.keyboard.press("ArrowDown");
  await visit.tabTo(leaf, "Shift+Tab");
  await visit.submit("Enter");
  assert.equal(await page.inputValue(`#path_${field}`), place);
  assert.equal(await visit.focused(`input[name=field][value=${field}]`), true, "the field that was filled has the focus");
}

// asText goes on with the mapping as JSON, makes a mistake in it, and comes back.
async function asText(visit) {
  const { page } = visit;
  await visit.follow("button[value=json]");
  const text = await page.inputValue("#mapping");
  assert.deepEqual(JSON.parse(text).title.path, ["check", "name"]);
  await visit.tabTo("#mapping");
  await page.keyboard.press("Control+A");
  await visit.type("{");
  await visit.follow("button[value=preview]");
  assert.match(await page.textContent("#mapping-complaint"), /must be a JSON object/);
  assert.equal(await visit.focused("#mapping"), true);
  assert.equal(await page.inputValue("#mapping"), "{");
  await visit.look("mapping-text-refused");
  await page.keyboard.press("Control+A");
  await visit.type(JSON.stringify({ ...JSON.parse(text), service: { sources: [{ path: ["check", "area"] }], values: { web: "Web shop" } } }));
  await visit.follow("button[value=preview]");
  assert.match(await page.textContent("#preview"), /Web shop/);
  await visit.look("mapping-text");
  await visit.follow("button[value=choose]");
  assert.match(await page.textContent("#choices"), /web → Web shop/);
}

// hostileSample has the page show what nobody should send, and what was there again.
async function hostileSample(visit) {
  const { page } = visit;
  const deep = JSON.parse(`${'{"n":'.repeat(90)}1${"}".repeat(90)}`);
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}-${endless}`, `<b>${endless}</b>`]));
  await paste(visit, JSON.stringify({ deep, ...wide, check: { name: "Typed" } }));
  assert.match(await page.textContent(".leaves"), /more\. Their places can be typed/);
  assert.match(await page.textContent("#choices"), /Typed/);
  await visit.look("mapping-hostile");
  await paste(visit, payload);
}

// paste replaces the sample.
async function paste(visit, sample) {
  const { page } = visit;
  await visit.tabTo("summary:has(+ .field)");
  await page.keyboard.press("Enter");
  await visit.tabTo("#sample");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(sample);
  await visit.follow("button[value=read]");
}

// replay takes the payload of the alert once more.
async function replay(visit, home) {
  const { page } = visit;
  await visit.open(`${base}${home}/alerts/1`);
  await visit.follow("a[href*='mapping?alert=1']:not([href*=latest])");
  assert.match(await page.textContent("#choices"), /Disk almost full on web-1/);
  await visit.ask("form[action$='/replay']");
  await visit.look("mapping-replay");
  await visit.follow("form[action$='/replay'] button");
  assert.equal(visit.path(), `${home}/alerts/1`);
  assert.match(await page.textContent("[role=status]"), /was replayed, and counted on this alert/);
}

async function sendTests(visit, home) {
  const { page } = visit;
  await visit.follow("a[href*='alerts/test']");
  assert.ok((await page.inputValue("#payload")).includes("disk-web-1"), "the sample is proposed");
  await visit.look("test-alert");
  for (const outcome of [/Opened #1/, /Counted on #1/]) {
    await visit.follow("form .actions button");
    assert.match((await page.textContent("[role=status]")).replace(/\s+/g, " "), outcome);
  }
  await visit.look("test-alert-sent");
  await visit.tabTo("#payload");
  await visit.type("broken");
  await visit.follow("form .actions button");
  assert.match(await page.textContent("[role=alert]"), /not valid JSON/);
  await visit.look("test-alert-refused");
  await visit.open(`${base}${home}/alerts`);
  assert.equal(await page.locator("tbody tr").count(), 1);
  const { y, height } = await page.locator("tbody tr").boundingBox();
  if (visit.scripted) assert.ok(y + height <= page.viewportSize().height, `the first alert ends at ${y + height} px, below the first screen`);
  await visit.look("alerts-first");
  await replay(visit, home);
  await visit.open(`${base}${home}/alerts`);
}

async function work(visit, home) {
  const { page } = visit;
  await visit.follow("tbody a");
  assert.equal(visit.path(), `${home}/alerts/1`);
  assert.equal(await page.locator("a.button[href='https://runbooks.example.com/disk']").count(), 1);
  await visit.look("alert");
  await visit.follow("form:has([value=acknowledged]) button");
  assert.match(await page.textContent("[role=status]"), /You acknowledged/);
  await signedOutMeanwhile(visit);
  await visit.tabTo("#assignee");
  await visit.type("nobody");
  await visit.submit("Enter");
  assert.match(await page.textContent("#assignee-complaint"), /not the user name/);
  assert.equal(await page.inputValue("#assignee"), "nobody");
  await visit.look("alert-assignee-refused");
  await visit.follow("a[href*='/assignee']");
  assert.equal(visit.path(), `${home}/alerts/1/assignee`);
  await visit.look("alert-assignee-choice");
  await visit.follow(".back a");
  await visit.follow("form:has([name=user_id]):not(:has([value='0'])) button");
  assert.match(await page.textContent("[role=status]"), /was assigned/);
  await visit.look("alert-acknowledged");
  await visit.follow("form:has([value=resolved]) button");
  assert.match(await page.textContent("[role=status]"), /You resolved/);

  // It happens again, so the first one cannot be opened any more.
  await visit.open(`${base}${home}/alerts/test`);
  await visit.follow("form .actions button");
  assert.match((await page.textContent("[role=status]")).replace(/\s+/g, " "), /Opened #2/);
  await visit.open(`${base}${home}/alerts/1`);
  await visit.follow("form:has([value=triggered]) button");
  assert.match(await page.textContent("[role=alert]"), /same fingerprint is open/);
  await visit.look("alert-conflict");
  await visit.follow("[role=alert] a");
  assert.equal(visit.path(), `${home}/alerts/2`);
}

// signedOutMeanwhile sends a form when the session has ended, signs in and finds what was
// typed, and that it was not sent.
async function signedOutMeanwhile(visit) {
  const { page } = visit, address = page.url();
  await page.context().clearCookies({ name: /session/ });
  await visit.tabTo("#incident");
  await visit.type("4711");
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=alert]"), /Sign in, and you come back/);
  await visit.look("signed-out-meanwhile");
  await visit.signIn(username);
  assert.equal(page.url(), address);
  assert.match(await page.textContent("[role=alert]"), /was not made/);
  if (visit.scripted) assert.equal(await page.inputValue("#incident"), "4711");
  await visit.look("not-done");
  await visit.open(address);
  assert.equal(await page.locator("[role=alert]").count(), 0);
}

async function find(visit, home) {
  const { page } = visit;
  await visit.tab("alerts");
  assert.equal(await page.locator("tbody tr").count(), 1);
  await visit.follow(".counts a[href*=resolved]");
  assert.equal(await page.locator("tbody tr").count(), 1);
  await visit.follow(".counts a[href*=all]");
  assert.equal(await page.locator("tbody tr").count(), 2);
  await visit.look("alerts-all");
  await comeBack(visit, home);
  await jump(visit, home);
  await visit.tabTo(".filtering summary");
  await page.keyboard.press("Enter");
  await visit.tabTo("#search");
  await visit.type("nothing like it");
  await visit.submit("Enter");
  assert.match(await page.textContent("h2"), /Nothing found/);
  await visit.look("alerts-not-found");
  assert.equal(visit.path(), `${home}/alerts`);
}

// comeBack goes to an alert by its card and back to the list as it was.
async function comeBack(visit, home) {
  const { page } = visit;
  const list = page.url();
  const row = page.locator("tbody tr").first();
  const { width } = page.viewportSize();
  if (width < 640) await Promise.all([page.waitForNavigation(), row.click({ position: { x: 20, y: 80 } })]);
  else await visit.follow("tbody a");
  assert.equal(visit.path(), `${home}/alerts/2`);
  await visit.follow(".back a");
  assert.equal(page.url(), list);
}

// jump finds an alert, a project and the keys by the search box.
async function jump(visit, home) {
  const { page, scripted } = visit;
  const list = page.url();
  const wide = page.viewportSize().width > 640;
  if (scripted && wide) {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("/");
    assert.equal(await visit.focused("#find"), true, "a slash leads to the search box");
    await page.keyboard.type("/#1");
    await page.keyboard.press("Home");
    await page.keyboard.press("Delete");
  } else {
    await visit.follow("a.finder");
    await visit.look("search");
    await visit.tabTo("#q");
    await page.keyboard.type("#1");
  }
  await visit.submit("Enter");
  assert.equal(visit.path(), `${home}/alerts/1`);
  await visit.open(`${base}/console/search?q=web+shop`);
  assert.ok(await page.locator(`#projects ~ ul a[href="${home}"]`).count(), "the project is found");
  await visit.look("search-found");
  await visit.open(`${base}/console/search?q=nobody-here`);
  assert.match(await page.textContent("main"), /Nothing found/);
  if (scripted) {
    await visit.tabTo("[data-keys]");
    await page.keyboard.press("Enter");
    assert.match(await page.textContent("dialog"), /Show these keys/);
    await visit.look("keys");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.equal(await visit.focused("[data-keys]"), true, "the focus comes back");
  }
  await visit.open(list);
}

// switchToLink first meets the integration that is active.
async function switchToLink(visit, home, integration) {
  const { page } = visit;
  await visit.open(`${base}${home}/settings/integrations/new`);
  await visit.tabTo("input[type=radio]:checked");
  await page.keyboard.press("ArrowUp"); // to the last one
  await visit.tabTo("#name");
  await visit.type("Duty rota");
  await visit.tabTo("#target");
  await visit.type("https://oncall.example.com/web-shop");
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=alert]"), /"Uptime checks" is active/);
  await visit.look("oncall-link-conflict");
  await setActive(visit, integration);
  await visit.open(`${base}${home}/settings/integrations/new`);
  await visit.tabTo("input[type=radio]:checked");
  await page.keyboard.press("ArrowUp");
  await visit.tabTo("#name");
  await visit.type("Duty rota");
  await visit.tabTo("#target");
  await visit.type("https://oncall.example.com/web-shop");
  await visit.submit("Enter");
  await visit.look("oncall-link");
  await visit.tab("settings");
  await visit.look("integrations");
  await visit.tab("alerts");
  assert.equal(await page.getAttribute("main a.button", "href"), "https://oncall.example.com/web-shop");
  await visit.look("alerts-elsewhere");
}

// setActive switches the integration over.
async function setActive(visit, integration) {
  await visit.open(base + integration);
  await visit.tabTo("input[name=active]");
  await visit.page.keyboard.press("Space");
  await visit.follow("form .actions button");
  assert.match(await visit.page.textContent("[role=status]"), /was saved/);
}

async function resetAndDelete(visit, integration) {
  const { page } = visit;
  await visit.open(base + integration);
  const key = await page.locator("#key").textContent();
  await visit.ask("form[action$='/key']");
  await visit.look("integration-asks");
  await visit.follow("form[action$='/key'] button");
  assert.notEqual(await page.locator("#key").textContent(), key);
  await visit.ask("form[action$='/delete']");
  await visit.follow("form[action$='/delete'] button");
  assert.match(await page.textContent("[role=status]"), /was deleted/);
  assert.equal(await page.locator("tbody tr").count(), 1);
}
