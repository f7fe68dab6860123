// Takes a new team from an empty instance to a group, a project, two members and a
// connected tool in Chromium, as visit.mjs says, without a command.
import assert from "node:assert/strict";
import { newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

let walks = 0;
await inEveryLook("teams", async (visit) => {
  const n = ++walks, lead = `lead-${n}`, mate = `mate-${n}`;
  await newUser(lead, "Lena Lead");
  await newUser(mate, "Max Mate");
  await visit.open(`${base}/console`);
  await visit.signIn(lead);
  await visit.look("teams-nothing");
  await makeGroup(visit, n);
  await makeProject(visit, n);
  await connect(visit, n);
  await addMembers(visit, n, mate);
  await changeAndRemove(visit, n);
  await settle(visit, n);
});

async function makeGroup(visit, n) {
  await visit.follow("main a[href='/console/groups/new']");
  await visit.tabTo("main form button");
  await visit.submit("Enter");
  assert.equal(await visit.focused("#name"), true, "the first field with a mistake has the focus");
  await visit.look("teams-group-complaints");
  await visit.type(`Team ${n}`);
  await visit.tabTo("main form button");
  await visit.submit("Enter");
  assert.equal(visit.path(), `/console/groups/team-${n}`);
  assert.match(await visit.page.textContent("[role=status]"), /group was created/);
  await visit.look("teams-group");
}

async function makeProject(visit, n) {
  await visit.follow("main .empty a[href^='/console/new']");
  await visit.write("#name", "Web shop");
  assert.equal(await visit.page.locator("#namespace_id option:checked").textContent(), `team-${n}`);
  await visit.look("teams-project-new");
  await visit.tabTo("main form button");
  await visit.submit("Enter");
  assert.equal(visit.path(), `/console/team-${n}/web-shop`);
  await visit.look("teams-project");
}

// connect makes an integration and sends an alert by what its page says, as a tool does.
async function connect(visit, n) {
  const { page } = visit;
  await visit.follow("main .empty a[href$='/integrations/new']");
  await visit.write("#name", "Uptime");
  await visit.tabTo("main form .actions button");
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=status]"), /integration was created/);
  const address = await page.textContent("#url");
  await visit.tabTo(".reveal summary");
  await page.keyboard.press("Enter");
  const key = await page.innerText("#key");
  await visit.look("teams-integration");
  const answer = await fetch(address, { method: "POST", headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }, body: JSON.stringify({ title: "Checkout is slow" }) });
  assert.equal(answer.status, 200);
  await visit.tab("alerts");
  assert.deepEqual(await page.locator("tbody td.title a").allInnerTexts(), ["Checkout is slow"]);
  await visit.look("teams-first-alert");
  await visit.open(`${base}/console/team-${n}/web-shop`);
  assert.doesNotMatch(await visit.page.textContent("main"), /Nothing is connected/);
}

async function addMembers(visit, n, mate) {
  await visit.tab("members");
  await visit.look("teams-members-of-project");
  await visit.follow(".sections a[href*=from]");
  await visit.look("teams-members-inherited");
  await visit.follow("main a[href$='/members']:not(.sections a)");
  assert.equal(visit.path(), `/console/groups/team-${n}/members`);
  await visit.write("#username", "nobody-at-all");
  await visit.tabTo("main form.form .actions button");
  await visit.submit("Enter");
  assert.equal(await visit.focused("#username"), true);
  await visit.look("teams-member-complaint");
  await visit.write("#username", mate);
  await visit.tabTo("main form.form .actions button");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /member was added/);
  assert.equal(await visit.page.locator("tbody tr").count(), 2);
  await visit.look("teams-members");
}

async function changeAndRemove(visit, n) {
  const { page } = visit;
  await visit.tabTo(page.getByRole("link", { name: "Change Max Mate" }));
  await visit.submit("Enter");
  await page.selectOption("#access_level", "40");
  await page.fill("#expires_at", "2099-12-31");
  await visit.look("teams-member");
  await visit.tabTo("main form.form .actions button");
  await visit.submit("Enter");
  assert.match(await page.textContent("tbody"), /Maintainer[\s\S]*31 Dec 2099/);
  await visit.tabTo(page.getByRole("link", { name: "Change Lena Lead" }));
  await visit.submit("Enter");
  await visit.ask("form[action$='/delete']");
  await visit.tabTo("form[action$='/delete'] button");
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=alert]"), /last owner/);
  await visit.look("teams-last-owner");
}

async function settle(visit, n) {
  const { page } = visit;
  await visit.tab("settings");
  await visit.write("#name", `The team ${n}`);
  await visit.tabTo("main form.form .actions button");
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=status]"), /group was saved/);
  await visit.look("teams-group-settings");
  await visit.ask("form[action$='/delete']");
  await visit.look("teams-group-asks");
  await visit.tabTo("form[action$='/delete'] button");
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=alert]"), /Delete those first/);
  await visit.tab("subgroups");
  await visit.look("teams-subgroups");
  await visit.open(`${base}/console/team-${n}/web-shop/settings/general`);
  await visit.look("teams-project-settings");
  await visit.ask("form[action$='/delete']");
  await visit.tabTo("form[action$='/delete'] button");
  await visit.submit("Enter");
  assert.equal(visit.path(), "/console");
  await visit.open(`${base}/console/groups`);
  assert.match(await page.textContent("tbody"), new RegExp(`The team ${n}`));
  await visit.look("teams-groups");
}
