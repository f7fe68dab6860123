// Uses the pages about alerts in Chromium the way people do who are on call: the
// maintainer who sets it up, the one whom a mail wakes, and the one who looks at night
// who is on call. On a phone they use one thumb, and on a desktop the keyboard.
//
// SMTP_PORT  the port to which Gatehouse sends mails
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { eventually, startHook, startMailbox } from "./receivers.mjs";
import { base, inEveryLook, required } from "./visit.mjs";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, timezoneId: "Europe/Berlin" };
const desktop = { viewport: { width: 1280, height: 800 }, timezoneId: "America/New_York" };
const looks = [
  { name: "night-phone-dark", ...phone, colorScheme: "dark" },
  { name: "night-desktop-light", ...desktop, colorScheme: "light" },
  { name: "night-phone-without-script", ...phone, viewport: { width: 320, height: 640 }, colorScheme: "light", javaScriptEnabled: false },
];

const mailbox = await startMailbox(Number(required("SMTP_PORT"))), hook = await startHook();
let walks = 0;
try {
  await inEveryLook("night", walk, looks);
} finally {
  mailbox.close();
  hook.close();
}

async function walk(visit) {
  const night = await arrange(++walks);
  const secret = await setUp(visit, night);
  mailbox.refused.add(`${night.mia}@example.com`);
  await fire(night);
  const alert = await wakeUp(visit, night);
  await work(visit, night, alert);
  await hook.told("alert.resolved", secret);
  await chooseNotifications(visit, night);
  await lookWhoIsOnCall(visit, night);
  await sendAgain(visit, night);
}

// arrange makes a project with somebody on call.
async function arrange(n) {
  const [mia, nora] = [`mia-${n}`, `nora-${n}`];
  const known = { skip_confirmation: true }; // their first mail is about the alert
  const people = { mia: await newUser(mia, "Mia Maintainer", known), nora: await newUser(nora, "Nora Nachtigall", known) };
  const group = await call("POST", "/groups", { name: "Bakery", path: `bakery-${n}`, visibility: "private" });
  const project = await call("POST", "/projects", { name: "Ovens", namespace_id: group.id });
  for (const [user, access_level] of [[people.mia, 40], [people.nora, 30]]) {
    await call("POST", `/projects/${project.id}/members`, { user_id: user.id, access_level });
  }
  const monitor = `/projects/${project.id}/monitor`;
  const schedule = await call("POST", `${monitor}/schedules`, { name: "Night", timezone: "Europe/Berlin" });
  await call("POST", `${monitor}/schedules/${schedule.id}/rotations`, {
    name: "First line", starts_at: "2026-01-01T00:00:00Z", length: { value: 1, unit: "weeks" }, participants: [people.nora.id],
  });
  await call("PUT", `${monitor}/escalation_policy`, { rules: [{ elapsed_minutes: 0, until_status: "acknowledged", schedule_id: schedule.id }] });
  const integration = await call("POST", `${monitor}/integrations`, { name: "Ovens", type: "http", active: true });
  return { mia, nora, monitor, integration, home: `/console/${project.path_with_namespace}` };
}

// setUp has the maintainer switch on incidents and add a webhook, and returns its secret.
async function setUp(visit, { mia, home }) {
  const { page } = visit;
  await visit.open(base + home);
  await visit.signIn(mia);
  await visit.look("night-project");
  await visit.hit("nav.tabs a[href$='/settings']");
  for (const name of ["create_incident", "send_email"]) await visit.hit(`label:has([name=${name}])`, { stays: true });
  await visit.look("night-settings");
  await visit.hit("form[action$='settings/alerts'] .actions button");
  assert.match(await page.textContent("[role=status]"), /rules for alerts were saved/);

  await visit.hit("nav.tabs a[href$=webhooks]");
  await visit.look("night-webhooks-empty");
  await visit.hit("main .empty a");
  await visit.hit("form .actions button");
  assert.equal(await visit.focused("#url"), true, "the field with the mistake has the focus");
  await visit.look("night-webhook-complaint");
  await visit.type(hook.address);
  await visit.hit("form .actions button");
  const secret = await page.textContent("#webhook-secret");
  assert.match(secret, /^whsec_/);
  await visit.look("night-webhook-secret");
  await visit.hit("main .actions a");
  assert.ok(!(await page.content()).includes(secret), "the secret is shown once");
  await visit.hit("form[action$='/test'] button");
  assert.match(await page.textContent("[role=status]"), /took the test/);
  await hook.told("test", secret);
  await visit.look("night-webhook");
  const second = await rotate(visit);
  await visit.hit("form[action$='/test'] button");
  await Promise.all([hook.told("test", secret), hook.told("test", second)]);
  await visit.hit("nav.tabs a[href$=webhooks]");
  await visit.look("night-webhooks");
  await visit.hit(".account button");
  return second;
}

async function rotate(visit) {
  await visit.hit("details:has(form[action$='/rotate']) summary", { stays: true });
  await visit.look("night-webhook-asks");
  await visit.hit("form[action$='/rotate'] button");
  const secret = await visit.page.textContent("#webhook-secret");
  await visit.look("night-webhook-rotated");
  await visit.hit("main .actions a");
  return secret;
}

async function fire({ integration }) {
  const answer = await fetch(integration.url, {
    method: "POST", headers: { Authorization: `Bearer ${integration.authorization_key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ title: "The oven of the bakery in the old town is cold", severity: "critical", description: "No bread tomorrow.", service: "ovens", hosts: ["oven-1"] }),
  });
  assert.equal(answer.status, 200);
}

// wakeUp follows the link of the mail to the alert, and returns its address.
async function wakeUp(visit, { nora, home, monitor }) {
  const { page } = visit;
  const [link] = /https?:\/\/\S+\/acknowledge\?token=[\w.~-]+/.exec(await mailbox.to(`${nora}@example.com`)) ?? assert.fail("the mail has no link");
  await visit.open(link);
  assert.match(await page.textContent("h1"), /Acknowledge the alert\?/);
  assert.equal((await call("GET", `${monitor}/alerts/1`)).status, "triggered", "looking changes nothing");
  await visit.look("night-mail-link");
  await visit.hit("form[action$=acknowledge] button");
  assert.match(await page.textContent("h1"), /You acknowledged/);
  await visit.look("night-mail-acknowledged");
  await visit.hit("main a[href*=alerts]");
  await visit.look("night-sign-in");
  await visit.signIn(nora);
  assert.match(visit.path(), /\/alerts\/1$/);
  await visit.look("night-alert");
  return `${base}${home}/alerts/1`;
}

// work notes something, silences the alert and resolves it.
async function work(visit, { home }, alert) {
  const { page } = visit;
  await visit.hit("form:has([name=user_id]):not(:has([value='0'])) button");
  assert.match(await page.textContent("[role=status]"), /was assigned/);
  await visit.hit("main a.button[href$='/incidents/1']");
  assert.equal(visit.path(), `${home}/incidents/1`);
  await visit.look("night-incident");
  await visit.write("#note", "Somebody is on the way.\nThe baker knows.");
  await visit.hit("form[action$=notes] button");
  assert.match(await page.textContent("#timeline ~ ol"), /noted[^]*Somebody is on the way\.\nThe baker knows\./);
  await visit.look("night-noted");
  await acknowledge(visit);
  await edit(visit);
  await visit.hit("table.alerts a");
  assert.equal(page.url(), alert);

  await visit.hit("button[value=hour]");
  assert.match(await page.textContent("[role=status]"), /silenced/);
  await visit.look("night-silenced");
  await visit.hit("form:has([value=end]) button");
  await visit.hit("button[value=morning]");
  if (visit.scripted) assert.match(await page.textContent("#silence"), /8:00/, "the morning is that of the zone");
  await visit.hit("details.further summary", { stays: true });
  await visit.hit("form:has(#until) button");
  assert.equal(await visit.focused("#until"), true, "the field with the mistake has the focus");
  await visit.look("night-silence-complaint");
  await visit.hit(".deeds form:has([value=resolved]) button");
  assert.match(await page.textContent("[role=status]"), /You resolved/);
  await visit.look("night-resolved");
  await visit.hit(".account button");
}

// chooseNotifications has the person on call keep quiet hours, add and delete a webhook, and
// send a test.
async function chooseNotifications(visit, { nora }) {
  const { page } = visit, done = async (what) => assert.match(await page.textContent("[role=status]"), what);
  await visit.open(`${base}/user_settings/notifications`);
  await visit.signIn(nora);
  await visit.look("night-notifications");
  await visit.hit("label:has([name=quiet_hours])", { stays: true });
  await visit.write("#quiet_timezone", "Europe/Atlantis");
  await visit.hit("form:has(#quiet_timezone) .actions button");
  assert.equal(await visit.focused("#quiet_timezone"), true, "the field with the mistake has the focus");
  await visit.look("night-notifications-complaint");
  await visit.write("#quiet_timezone", "Europe/Berlin");
  await visit.hit("form:has(#quiet_timezone) .actions button");
  await done(/saved/);

  await visit.write("#url", "https://chat.example/nora");
  await visit.hit("form:has(#url) .actions button");
  assert.match(await page.textContent("#webhook-secret"), /^whsec_/);
  await visit.look("night-own-webhook-secret");
  await visit.hit("main .actions a");
  await visit.look("night-own-webhook");
  await visit.hit("details:has(form[action$='/delete']) summary", { stays: true });
  await visit.look("night-own-webhook-asks");
  await visit.hit("form[action$='/delete'] button");
  await done(/deleted/);
  await visit.hit("form[action$='/test'] button");
  await done(/test/);
  await visit.look("night-notifications-tested");
  await mailbox.saying(`${nora}@example.com`, "the test that you asked for");
  await visit.hit(".account button");
}

// acknowledge leaves no other deed where its button was on a phone: people tap twice.
async function acknowledge(visit) {
  const { page } = visit, button = ".deeds form:has([value=acknowledged]) button";
  const { x, y, width, height } = await page.locator(button).boundingBox();
  await visit.hit(button);
  assert.match(await page.textContent("[role=status]"), /You acknowledged the incident/);
  const there = await page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.closest("button")?.textContent, [x + width / 2, y + height / 2]);
  if (page.viewportSize().width < 640) assert.equal(there, undefined, "a second tap would do something else");
}

async function edit(visit) {
  const { page } = visit;
  await visit.hit("main a[href$='/edit']");
  await visit.write("#description", "# What to do\n\n1. Heat the oven\n2. Call the baker");
  await visit.look("night-incident-edit");
  await visit.hit("button[value=preview]");
  assert.equal(await page.textContent(".markdown h1"), "What to do");
  await visit.look("night-incident-preview");
  await visit.hit("form .actions button");
  assert.match(await page.textContent("[role=status]"), /was saved/);
  await visit.look("night-incident-edited");
}

async function lookWhoIsOnCall(visit, { mia, home }) {
  await visit.open(`${base}${home}/oncall`);
  await visit.signIn(mia);
  assert.match(await visit.page.textContent("main"), /Now:\s*Nora Nachtigall/);
  await visit.look("night-oncall");
}

// sendAgain finds the mail that the server refused, and sends it again.
async function sendAgain(visit, { mia, monitor }) {
  const { page } = visit;
  await eventually("an undelivered message", async () => (await call("GET", `${monitor}/undelivered`)).length);
  mailbox.refused.delete(`${mia}@example.com`);
  await visit.hit("nav.tabs a[href$='/alerts']");
  await visit.look("night-alerts");
  await visit.hit(".callout a[href$=undelivered]");
  assert.match(await page.textContent("tbody"), /Mia Maintainer[^]*nobody by this name/);
  await visit.look("night-undelivered");
  await visit.hit("form[action$=retry] button");
  assert.match(await page.textContent("[role=status]"), /sent again/);
  await visit.look("night-delivered");
  assert.deepEqual(await call("GET", `${monitor}/undelivered`), []); // the mail comes within a minute
}
