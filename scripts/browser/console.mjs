// Uses the pages of a project in Chromium, as visit.mjs says, the way a new
// maintainer would: from no project to a DSN and back.
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

const secretToken = "token-of-the-tracker";

let walks = 0;
await inEveryLook("console", async (visit) => {
  const username = `maintainer-${++walks}`;
  const maintainer = await newUser(username, "Mia Maintainer");
  await signIn(visit, username);
  const project = await findProject(visit, maintainer.id);
  await switchOn(visit);
  await createCopyAndDeleteKeys(visit, project);
  await useAnExternalTracker(visit);
  await leaveTheGroup(visit);
  await visit.open(`${base}/console/nobody/nothing/settings`);
  await visit.look("project-not-found");
});

// signIn comes back to the page that was asked for.
async function signIn(visit, username) {
  await visit.open(`${base}/console?search=web`);
  await visit.signIn(username);
  assert.equal(visit.page.url(), `${base}/console?search=web`);
  await visit.look("projects-nothing-found");
}

// findProject makes a project, among others, and searches for it.
async function findProject(visit, maintainer) {
  await visit.tabTo("nav.ways a");
  await visit.submit("Enter");
  assert.match(await visit.page.getAttribute("main .empty a", "href"), /\/console\/new$/);
  await visit.look("projects-empty");

  const group = await call("POST", "/groups", { name: "Acme", path: `acme-${walks}`, visibility: "private" });
  const project = await call("POST", "/projects", { name: "Web shop", namespace_id: group.id });
  await call("POST", "/projects", { name: "Payments", namespace_id: group.id });
  await call("POST", `/groups/${group.id}/members`, { user_id: maintainer, access_level: 40 });
  await visit.open(`${base}/console`);
  assert.equal(await visit.page.locator("tbody tr").count(), 2);
  await visit.look("projects");
  await visit.tabTo("#search");
  await visit.type("SHOP");
  await visit.submit("Enter");
  assert.equal(await visit.page.locator("tbody tr").count(), 1);
  await visit.look("projects-found");
  await visit.tabTo("td a");
  await visit.submit("Enter");
  assert.equal(visit.path(), `/console/${project.path_with_namespace}`);
  await visit.look("project");
  await visit.tab("settings");
  assert.equal(visit.path(), `/console/${project.path_with_namespace}/settings/integrations`);
  await visit.follow("main nav a[href$=error_tracking]");
  return project;
}

async function switchOn(visit) {
  await visit.look("tracking-empty");
  assert.equal(await visit.page.isVisible("#api_url"), false, "an external tracker's fields wait until they are wanted");
  await visit.tabTo("input[name=active]");
  await visit.page.keyboard.press("Space");
  await visit.tabTo("form .actions button");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /is on/);
  assert.equal(await visit.page.isChecked("input[name=active]"), true);
  await visit.look("tracking-on");
}

async function createCopyAndDeleteKeys(visit, project) {
  const { page } = visit;
  const create = "form[action$=client_keys] button";
  for (let keys = 1; keys <= 2; keys++) {
    await visit.tabTo(create);
    await visit.submit("Enter");
    assert.match(await page.textContent("[role=status]"), /was created/);
    assert.equal(await page.locator("details.remove").count(), keys);
  }
  await visit.look("client-keys");
  const dsn = await page.locator("td code").first().textContent();
  const { protocol, host, pathname, username: key } = new URL(dsn);
  assert.match(key, /^gtet_[0-9a-f]{32}$/);
  assert.equal(`${protocol}//${host}${pathname}`, `${base}/api/v4/error_tracking/collector/${project.id}`);
  if (visit.scripted) {
    await visit.tabTo("td button[data-copy]");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), dsn);
  }
  const remove = "form[action$='/delete']";
  for (let keys = 1; keys >= 0; keys--) {
    await visit.ask(remove);
    if (keys === 1) await visit.look("client-key-asks");
    await visit.tabTo(`${remove} button`);
    await visit.submit("Enter");
    assert.match(await page.textContent("[role=status]"), /was deleted/);
    assert.equal(await page.locator("details.remove").count(), keys);
    assert.ok(!(await page.content()).includes(key), "a deleted key is gone");
  }
}

async function useAnExternalTracker(visit) {
  const { page } = visit;
  await visit.tabTo("input[name=tracker]:checked");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.isVisible("#api_url"), true);
  const save = "form .actions button";
  await visit.tabTo(save);
  await visit.submit("Enter");
  assert.equal(await page.locator(".complaint").count(), 2);
  assert.equal(await visit.focused("#api_url"), true, "the first field with a mistake has the focus");
  await visit.look("tracking-complaints");

  await visit.type("https://errors.example.com/api/0/projects/acme/web-shop/");
  await visit.tabTo("#token");
  await visit.type(secretToken);
  await visit.tabTo(save);
  await visit.submit("Enter");
  assert.match(await page.textContent("[role=status]"), /external tracker/);
  assert.equal(await page.getAttribute("a.badge", "href"), "https://errors.example.com/acme/web-shop");
  assert.ok(!(await page.content()).includes(secretToken), "the token is never shown");
  await visit.look("tracking-external");
}

// leaveTheGroup ends the membership that somebody else made, and with it the role in
// the projects.
async function leaveTheGroup(visit) {
  await visit.open(`${base}/user_settings/memberships`);
  assert.equal(await visit.page.locator("tbody tr").count(), 1);
  await visit.look("memberships");
  await visit.ask("form[action$=leave]");
  await visit.look("memberships-asks");
  await visit.follow("form[action$=leave] button");
  assert.match(await visit.page.textContent("[role=status]"), /left/i);
  await visit.look("memberships-left");
  await visit.open(`${base}/console`);
  assert.equal(await visit.page.locator("tbody tr").count(), 0);
}
