// Administers an instance in Chromium, as visit.mjs says: finds, trusts and deletes an
// application, and reads in the audit trail who did that, on the page and as CSV.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

const looks = [
  { name: "admin-desktop-light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "admin-phone-dark-without-script", viewport: { width: 390, height: 844 }, colorScheme: "dark", javaScriptEnabled: false },
];
let walks = 0;

await inEveryLook("admin", async (visit) => {
  const boss = `chief-${++walks}`, name = `Ledger ${walks}`;
  await newUser(boss, "Cleo Chief", { admin: true });
  await call("POST", "/applications", { name, redirect_uri: "https://ledger.example/callback", scopes: "read_user" });
  await visit.open(`${base}/admin/applications`);
  await visit.signIn(boss);
  await visit.look("admin-applications");
  const application = await find(visit, name);
  await trust(visit, application);
  await remove(visit, application, name);
  await filter(visit, boss, name);
  await download(visit, name);
}, looks);

// find looks for a part of the name, and returns the address of the application's page.
async function find(visit, name) {
  await visit.tabTo("#search");
  await visit.type(name.toUpperCase());
  await visit.submit("Enter");
  assert.equal(await visit.page.locator("tbody tr").count(), 1, "a part of the name finds one application");
  await visit.look("admin-applications-found");
  await visit.follow("tbody a");
  await visit.look("admin-application");
  return visit.path();
}

async function trust(visit, application) {
  await visit.follow(`a[href="${application}/edit"]`);
  await visit.tabTo("input[name=trusted]");
  await visit.page.keyboard.press("Space");
  await visit.look("admin-application-edit");
  await visit.tabTo("main .actions button");
  await visit.submit("Enter");
  assert.equal(visit.path(), application);
  assert.match(await visit.page.textContent("main"), /[Tt]rusted/);
}

async function remove(visit, application, name) {
  await visit.ask(`form[action="${application}/delete"]`);
  await visit.look("admin-application-delete");
  await visit.follow(`form[action="${application}/delete"] button.danger`);
  assert.equal(visit.path(), "/admin/applications");
  assert.ok(await visit.page.locator(".notice[role=status], [role=status] .notice").count(), "a notice is announced");
  assert.doesNotMatch(await visit.page.textContent("main"), new RegExp(name));
}

// filter asks the audit trail what the administrator deleted.
async function filter(visit, boss, name) {
  await visit.open(`${base}/admin/audit`);
  await visit.look("admin-audit");
  await visit.tabTo("#event");
  await visit.type("Application deleted");
  await visit.tabTo("#actor");
  await visit.type(boss);
  await visit.submit("Enter");
  assert.equal(await visit.page.inputValue("#actor"), boss);
  const rows = visit.page.locator("tbody tr");
  assert.equal(await rows.count(), 1, "one deed of this kind was the administrator's");
  assert.match(await rows.first().textContent(), new RegExp(name));
  await visit.look("admin-audit-found");
}

// download keeps what was found, with a line that names the columns.
async function download(visit, name) {
  const link = visit.page.locator("a[href*='/admin/audit.csv']");
  await visit.tabTo(link);
  const [file] = await Promise.all([visit.page.waitForEvent("download"), visit.page.keyboard.press("Enter")]);
  assert.match(file.suggestedFilename(), /^audit-[\d-]+\.csv$/);
  const [head, ...lines] = (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/);
  assert.match(head, /^\W?[a-z_]+(,[a-z_]+)+$/, "the first line names the columns");
  assert.equal(lines.length, 1);
  assert.match(lines[0], new RegExp(name));
}
