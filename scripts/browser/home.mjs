// Uses the start page in Chromium, as visit.mjs says, the way somebody on call does who was
// woken: what burns is on the first screen, and every number leads to what it counts.
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

const looks = [
  { name: "desktop", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "phone-without-script", viewport: { width: 390, height: 844 }, colorScheme: "dark", javaScriptEnabled: false },
];

let walks = 0;
await inEveryLook("home", async (visit) => {
  const username = `woken-${++walks}`, somebody = await newUser(username, "Wanda Woken");
  await visit.open(`${base}/`);
  await visit.signIn(username);
  assert.equal(visit.path(), "/");
  await startsFromNothing(visit, username);

  const home = await burn(somebody, walks);
  await untilCounted(visit);
  await readsWhatBurns(visit, home);
  await followsTheNumbers(visit, home);
  await opensWhatIsAssigned(visit, home);
}, looks);

// startsFromNothing looks at the page of somebody who has no project yet.
async function startsFromNothing(visit, username) {
  assert.match(await visit.page.textContent("main .empty"), new RegExp(`No projects yet.*${username}`, "s"));
  await visit.look("home-nothing");
  await visit.follow("main .empty a[href='/console/new']");
  assert.equal(visit.path(), "/console/new");
  await visit.open(`${base}/`);
}

// burn makes two projects, one of which burns while the user is on call, and returns its page.
async function burn(user, n) {
  const group = await call("POST", "/groups", { name: "Night", path: `woken-group-${n}` });
  await call("POST", `/groups/${group.id}/members`, { user_id: user.id, access_level: 30 });
  await call("POST", "/projects", { name: "Calm", namespace_id: group.id });
  const project = await call("POST", "/projects", { name: "Web shop", namespace_id: group.id });
  const monitor = `/projects/${project.id}/monitor`;
  const schedule = await call("POST", `${monitor}/schedules`, { name: "Nights", timezone: "UTC" });
  await call("POST", `${monitor}/schedules/${schedule.id}/rotations`, { name: "Week", starts_at: "2026-01-01T09:00", length: { value: 1, unit: "weeks" }, participants: [user.id] });
  await call("PUT", `${monitor}/settings`, { create_incident: false });
  const integration = await call("POST", `${monitor}/integrations`, { name: "Uptime", type: "http", active: true });
  for (const [title, severity] of [["Disk is full", "critical"], ["Queue is long", "low"], ["Mail is late", "low"]]) {
    await call("POST", `${monitor}/integrations/${integration.id}/test`, { payload: { title, severity } });
  }
  const disk = (await call("GET", `${monitor}/alerts`)).find((alert) => alert.title === "Disk is full");
  await call("PUT", `${monitor}/alerts/${disk.iid}`, { assignee_id: user.id });
  await call("POST", `${monitor}/incidents`, { title: "No orders", severity: "high" });
  return `/console/${project.path_with_namespace}`;
}

// untilCounted waits for the dispatcher to count what is open.
async function untilCounted(visit) {
  for (let tries = 0; tries < 100; tries++) {
    await visit.open(`${base}/`);
    const counted = await visit.page.locator("section[aria-labelledby=needing]").allTextContents();
    if (/2 Low/.test(counted.join()) && /1 High/.test(counted.join())) return;
    await visit.page.waitForTimeout(100);
  }
  assert.fail("what is open was not counted within ten seconds");
}

async function readsWhatBurns(visit, home) {
  const { page } = visit;
  assert.match(await page.textContent("section[aria-labelledby=on-call]"), /You are on call.*until.*Nights/s);
  const burning = page.locator(`section[aria-labelledby=needing] a[href^='${home}/alerts']`).first();
  const { y, height } = await burning.boundingBox();
  assert.ok(y + height <= page.viewportSize().height, `what burns is at ${y} px, below the first screen`);
  assert.match(await burning.textContent(), /1 Critical alert/);
  assert.deepEqual(await page.locator("main h2").allTextContents(), ["On call now", "Needs attention", "Assigned to you", "Your other projects"]);
  assert.match(await page.textContent("section[aria-labelledby=projects]"), /Calm/);
  assert.doesNotMatch(await page.textContent("section[aria-labelledby=projects]"), /Web shop/);
  await visit.look("home");
}

// followsTheNumbers goes from each number to a list that has just as many.
async function followsTheNumbers(visit, home) {
  for (const [list, severity, rows] of [["alerts", "critical", 1], ["alerts", "low", 2], ["incidents", "high", 1]]) {
    await visit.follow(`section[aria-labelledby=needing] a[href='${home}/${list}?severity=${severity}']`);
    assert.equal(visit.path(), `${home}/${list}`);
    assert.equal(await visit.page.locator("main table tbody tr").count(), rows, `${list} that are ${severity}`);
    await visit.open(`${base}/`);
  }
}

async function opensWhatIsAssigned(visit, home) {
  await visit.follow("section[aria-labelledby=assigned] td.title a");
  assert.match(visit.path(), new RegExp(`^${home}/alerts/\\d+$`));
  assert.match(await visit.page.textContent("h1"), /Disk is full/);
}
