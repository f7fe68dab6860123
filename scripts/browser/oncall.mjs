// Uses the pages about who is on call in Chromium, as visit.mjs says, the way a new
// maintainer would, by the keyboard alone: from no schedule to a rotation, a swap and an
// escalation policy.
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

// endless has no place where a line could end.
const endless = "x".repeat(80);

const said = (visit) => visit.page.textContent("[role=status]");

let walks = 0;
await inEveryLook("oncall", async (visit) => {
  const n = ++walks;
  const [mia, ben] = [await newUser(`mia-${n}`, "Mia Maintainer"), await newUser(`ben-${n}`, `Ben ${endless}`)];
  const group = await call("POST", "/groups", { name: "Acme", path: `on-call-${n}`, visibility: "private" });
  const project = await call("POST", "/projects", { name: "Web shop", namespace_id: group.id });
  await call("POST", `/groups/${group.id}/members`, { user_id: mia.id, access_level: 40 });
  await call("POST", `/groups/${group.id}/members`, { user_id: ben.id, access_level: 30 });
  const home = `/console/${project.path_with_namespace}/oncall`;

  await visit.open(base + home);
  await visit.signIn(`mia-${n}`);
  assert.match(await visit.page.textContent("h2"), /No schedules yet/);
  await visit.look("oncall-empty");
  await addSchedule(visit);
  await addRotation(visit, n);
  await swap(visit);
  await setPolicy(visit, n);
  await makeCalendar(visit);
  await change(visit, home);
});

async function addSchedule(visit) {
  const { page } = visit;
  await visit.follow("main .heading a");
  assert.equal(await visit.focused("#name"), true);
  await visit.look("schedule-new");
  await visit.submit("Enter");
  assert.equal(await page.locator(".complaint").count(), 2);
  await visit.look("schedule-complaints");
  await visit.type("Primary");
  await visit.tabTo("#timezone");
  await visit.type("Europe/Berlin");
  await visit.submit("Enter");
  assert.match(await said(visit), /was created/);
  assert.match(await page.textContent("section[aria-labelledby=now]"), /Nobody is on call now/);
  await visit.look("schedule-empty");
}

// addRotation adds Mia and Ben in the wrong order, and an end that the clocks show twice.
async function addRotation(visit, n) {
  const { page } = visit;
  await visit.follow("a[href$='rotations/new']");
  assert.equal(await visit.focused("#name"), true);
  await visit.type("Office hours");
  await visit.tabTo("#value");
  await page.keyboard.press("ControlOrMeta+A");
  await visit.type("1");
  await visit.tabTo("select[name=unit]");
  await visit.type("days");
  await visit.look("rotation-new");
  for (const name of [`@ben-${n}`, `mia-${n}`]) {
    await visit.tabTo("#add");
    await visit.type(name);
    await visit.submit("Enter");
    assert.equal(await visit.focused("#add"), true, "the next name can be typed at once");
  }
  await visit.tabTo("#up-1", "Shift+Tab");
  await visit.submit("Enter");
  assert.deepEqual((await page.locator("ol li bdi").allTextContents()).slice(0, 2), ["Mia Maintainer", `Ben ${endless}`]);
  assert.match(await page.textContent("ol[aria-labelledby=turns]"), /Mia Maintainer/);
  await visit.look("rotation-turns");

  // The field of an end in the hour that comes twice then takes its offset from UTC.
  await page.fill("#ends_at", "2099-10-25T02:30");
  await visit.follow("button[value=save]");
  assert.match(await page.textContent("#ends_at-complaint"), /clocks show .* twice/);
  assert.equal(await visit.focused("#ends_at"), true);
  await visit.look("rotation-ambiguous");
  await page.keyboard.press("End");
  await visit.type("+01:00");
  await page.fill("#from", "09:00");
  await page.fill("[name=to]", "17:00");
  await visit.follow("button[value=save]");
  assert.match(await said(visit), /was saved/);
  assert.ok(await page.locator("td .badge.accent").count() > 5, "one's own shifts are marked");
  assert.ok(await page.locator("td .badge.caution").count() > 10, "the nights have nobody");
  await visit.look("schedule");
}

async function swap(visit) {
  const { page } = visit;
  await visit.tabTo("#given");
  for (let n = 0; n < 2; n++) await page.keyboard.press("ArrowDown"); // past the shift of the other
  await visit.follow("form[action$=swaps] button");
  assert.match(await said(visit), /were swapped/);
  assert.equal(await page.locator("form[action*=overrides][action$=delete]").count(), 2);
  await visit.look("schedule-swapped");
  await visit.follow("form[action*=overrides][action$=delete] button");
  assert.match(await said(visit), /taken back/);
  assert.equal(await page.locator("form[action*=overrides][action$=delete]").count(), 0);
  assert.equal(await page.isVisible("#replaces"), false, "other times wait until they are wanted");
  await visit.tabTo("#shift");
  await visit.type("A part");
  assert.equal(await page.isVisible("#replaces"), true);
  await visit.tabTo("#replaces");
  await visit.type("nobody");
  await visit.submit("Enter");
  assert.match(await page.textContent("#replaces-complaint"), /not known/);
  await visit.look("schedule-override-refused");
}

async function setPolicy(visit, n) {
  const { page } = visit;
  await visit.open(page.url().replace(/oncall.*/, "oncall"));
  await visit.look("oncall");
  await visit.follow("main nav a[href$=escalation]");
  assert.match(await page.textContent("h2"), /No escalation policy yet/);
  await visit.look("escalation-empty");
  await visit.follow("button[value=add]");
  assert.equal(await visit.focused("#after-0"), true);
  assert.equal(await page.isVisible("#person-0"), false, "a person waits until one is wanted");
  await visit.follow("button[value=add]");
  await visit.tabTo("#whom-1");
  await visit.type("A person");
  assert.equal(await page.isVisible("#person-1"), true);
  await visit.tabTo("#person-1");
  await visit.type("nobody");
  await visit.submit("Enter");
  assert.match(await page.textContent("#person-1-complaint"), /not the user name/);
  await visit.look("escalation-complaints");
  await page.keyboard.press("ControlOrMeta+A");
  await visit.type(`ben-${n}`);
  await visit.submit("Enter");
  assert.match(await said(visit), /was saved/);
  const steps = (await page.textContent("#steps ~ ol")).replace(/\s+/g, " ");
  assert.match(steps, /At once: .*After 5 minutes, unless it is acknowledged: Ben/);
  await visit.look("escalation");
  await visit.follow("#down-0");
  assert.equal(await visit.focused("#up-1"), true, "the last one can only go back");
  assert.equal(await page.inputValue("#person-0"), `ben-${n}`);
  await visit.follow("button:not([tabindex])[value=save]");
  assert.match((await page.textContent("#steps ~ ol")).replace(/\s+/g, " "), /At once: Ben/);
}

async function makeCalendar(visit) {
  const { page } = visit;
  await visit.follow("main nav a[href$=calendar]");
  await visit.look("calendar-empty");
  await visit.follow("form[action$=calendar] button");
  const address = await page.textContent("#feed-address");
  await visit.look("calendar-address");
  const feed = await fetch(address);
  assert.match(await feed.text(), /^BEGIN:VCALENDAR/);
  await visit.follow("main .actions a");
  await visit.ask("form[action$=calendar]");
  await visit.look("calendar-asks");
  await visit.follow("form[action$=calendar] button");
  assert.notEqual(await page.textContent("#feed-address"), address);
  assert.equal((await fetch(address)).status, 404);
}

// change gives the schedule another name, and cannot delete it while the policy has it.
async function change(visit, home) {
  const { page } = visit;
  await visit.open(base + home);
  await visit.follow("section h2 a");
  await visit.tabTo("#name");
  await page.keyboard.press("ControlOrMeta+A");
  await visit.type(`First ${endless}`);
  await visit.submit("Enter");
  assert.match(await said(visit), /was saved/);
  await visit.look("schedule-long-name");
  const [remove] = await page.locator("form[action$=delete]").evaluateAll((all) => all.map((it) => it.getAttribute("action")).filter((it) => /oncall\/\d+\/delete$/.test(it)));
  await visit.ask(`form[action='${remove}']`);
  await visit.look("schedule-asks");
  await visit.follow(`form[action='${remove}'] button`);
  assert.match(await page.textContent("[role=alert]"), /policy names the schedule/);
  await visit.look("schedule-not-deleted");
}
