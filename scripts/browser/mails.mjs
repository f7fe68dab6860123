// Reads the mails of an instance without a mail server in Chromium, as visit.mjs says.
//
// GATEHOUSE_ROOT_TOKEN  a token of the administrator root, with scope api
import assert from "node:assert/strict";
import { eventually } from "./receivers.mjs";
import { call } from "./rest.mjs";
import { base, inEveryLook } from "./visit.mjs";

const looks = [
  { name: "mails-phone-dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "dark" },
  { name: "mails-desktop-light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
];

let sent = 0;
await inEveryLook("mails", async (visit) => {
  const { page } = visit, rows = "main tbody tr";
  await visit.open(`${base}/users/password/new`);
  assert.match(await page.textContent("main"), /Ask an administrator/);
  await visit.look("forgot-without-mails");
  await visit.open(`${base}/admin/mails`);
  await visit.signIn("root");
  assert.equal(await page.locator(rows).count(), sent);
  await visit.look(sent ? "mails-before" : "mails-none");
  await call("POST", "/user/notifications/test");
  sent++;
  await eventually("the mail", async () => {
    await visit.open(`${base}/admin/mails`);
    return await page.locator(rows).count() === sent;
  });
  await visit.look("mails");
  await visit.hit(`${rows} a`);
  assert.match(await page.textContent("main pre"), /the test that you asked for/);
  await visit.look("mails-one");
  await visit.hit("main .back a");
  assert.equal(visit.path(), "/admin/mails");
}, looks);
