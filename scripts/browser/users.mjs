// Manages users in Chromium, as visit.mjs says: an administrator makes one, who chooses a
// password by the link, and finds, edits, signs out, blocks and deletes them.
import assert from "node:assert/strict";
import { newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

const looks = [
  { name: "users-desktop-light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "users-phone-dark-without-script", viewport: { width: 390, height: 844 }, colorScheme: "dark", javaScriptEnabled: false },
];
const chosen = "a warm oven and a cold heart";
let walks = 0;

await inEveryLook("users", walk, looks);

async function walk(visit) {
  const boss = `boss-${++walks}`, name = `nina-${walks}`;
  await newUser(boss, "Bea Boss", { admin: true });
  await visit.open(`${base}/admin/users`);
  await visit.signIn(boss);
  await visit.look("users-list");
  const link = await invite(visit, name);
  await useLink(visit, link, name);
  const user = await find(visit, name);
  await edit(visit, user);
  await deny(visit, user, name);
  await remove(visit, user, name);
}

// invite makes a user after a mistake, and returns the link that is shown once.
async function invite(visit, name) {
  await visit.follow('a[href="/admin/users/new"]');
  await visit.look("users-new");
  await visit.type("Nina New");
  await visit.tabTo("#username");
  await visit.type(`${name} x`);
  await visit.tabTo("#email");
  await visit.type(`${name}@mail.example`);
  await visit.submit("Enter");
  assert.ok(await visit.focused("#username"), "the field with the mistake has the focus");
  await visit.look("users-new-mistake");
  await visit.page.keyboard.press("Control+A");
  await visit.type(name);
  await visit.submit("Enter");
  await visit.look("users-invitation");
  return visit.page.textContent("#reset-link");
}

// useLink has the person choose a password in a browser of their own, and sign in.
async function useLink(visit, link, name) {
  const context = await visit.page.context().browser().newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.fill("#password", chosen);
  await page.click("button:has-text('Set the password')");
  await page.fill("#login", name);
  await page.fill("#password", chosen);
  await page.click("main button");
  await page.waitForURL((url) => !url.pathname.startsWith("/users/"));
  await context.close();
}

// find looks for a part of the address, and returns that of the user's page.
async function find(visit, name) {
  await visit.open(`${base}/admin/users`);
  await visit.tabTo("#search");
  await visit.type(`${name}@MAIL`);
  await visit.submit("Enter");
  const rows = visit.page.locator("tbody tr");
  assert.equal(await rows.count(), 1, "a part of the address finds one user");
  assert.doesNotMatch(await rows.first().locator("[data-label='Last sign-in']").textContent(), /Never/);
  await visit.look("users-found");
  await visit.follow("tbody a");
  await visit.look("users-user");
  return visit.path();
}

async function edit(visit, user) {
  await visit.follow(`a[href="${user}/edit"]`);
  await visit.look("users-edit");
  await visit.tabTo("#name");
  await visit.page.keyboard.press("Control+A");
  await visit.type("Nina Newer");
  await visit.submit("Enter");
  assert.equal(visit.path(), user);
  assert.match(await visit.page.textContent("h1"), /Nina Newer/);
  await visit.follow(`a[href="${user}/access"]`);
  await visit.look("users-access");
  await visit.open(base + user);
}

// deny signs the user out everywhere, blocks and unblocks.
async function deny(visit, user, name) {
  await visit.ask(`form[action="${user}/sign_out"]`);
  await keepsFocus(visit, `${user}/sign_out`);
  await visit.look("users-asks");
  await visit.follow(`form[action="${user}/sign_out"] button.danger`);
  assert.match(await visit.page.textContent("main"), /Not signed in anywhere/);
  await visit.ask(`form[action="${user}/block"]`);
  await visit.follow(`form[action="${user}/block"] button.danger`);
  await visit.look("users-blocked");
  await visit.open(`${base}/admin/users?show=blocked&search=${name}`);
  assert.equal(await visit.page.locator("tbody tr").count(), 1);
  await visit.follow("tbody a");
  await visit.follow(`form[action="${user}/unblock"] button`);
  assert.match(await visit.page.textContent(".notice"), /no longer blocked/);
}

// keepsFocus checks that the button beside a question keeps the focus.
async function keepsFocus(visit, action) {
  const summary = visit.page.locator(`details:has(form[action="${action}"]) > summary`);
  assert.ok(await summary.evaluate((it) => it === document.activeElement), "the focus stays with the question");
}

async function remove(visit, user, name) {
  await visit.ask(`form[action="${user}/delete"]`);
  await visit.tabTo("#delete");
  await visit.type("somebody else");
  await visit.submit("Enter");
  assert.ok(await visit.focused("#delete"), "the field for the user name has the focus");
  await visit.look("users-delete-mistake");
  await visit.page.keyboard.press("Control+A");
  await visit.type(name);
  await visit.submit("Enter");
  assert.equal(visit.path(), "/admin/users");
  assert.match(await visit.page.textContent(".notice"), /The user is deleted/);
}
