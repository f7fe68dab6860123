// Uses the pages about one's own account in Chromium, as visit.mjs says: confirms an
// address and replaces a lost password by links in mails, and changes the profile.
//
// SMTP_PORT  the port to which Gatehouse sends mails
import assert from "node:assert/strict";
import { startMailbox } from "./receivers.mjs";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook, password, required } from "./visit.mjs";

const looks = [
  { name: "account-phone-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { name: "account-phone-without-script", viewport: { width: 320, height: 640 }, colorScheme: "light", javaScriptEnabled: false },
];
const another = "a warm oven and a cold heart", profile = "/user_settings/profile";

const mailbox = await startMailbox(Number(required("SMTP_PORT")));
let walks = 0;
try {
  await inEveryLook("account", walk, looks);
} finally {
  mailbox.close();
}

async function walk(visit) {
  const name = `lena-${++walks}`, address = `${name}@example.com`;
  const user = await newUser(name, "Lena Lost");
  await confirmAddress(visit, user, address);
  await changeProfile(visit, name);
  await losePassword(visit, name);
  await handOverLink(visit, user);
}

// linkIn waits for the n-th mail to the address, and returns the link to the page in it.
async function linkIn(address, n, page) {
  const [link] = new RegExp(`${base}${page}\\?token=[\\w-]+`).exec(await mailbox.to(address, n)) ?? [];
  assert.ok(link, `mail ${n} to ${address} has a link to ${page}`);
  return link;
}

async function confirmAddress(visit, user, address) {
  const link = await linkIn(address, 1, "/users/confirmation");
  await visit.open(link);
  assert.match(await visit.page.textContent("main"), new RegExp(address));
  await visit.look("confirmation");
  assert.equal((await call("GET", `/users/${user.id}`)).confirmed_at, null, "a link that is only followed confirms nothing");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("h1"), /is confirmed/);
  await visit.look("confirmation-done");
  assert.ok((await call("GET", `/users/${user.id}`)).confirmed_at);
  await visit.open(link);
  await visit.look("confirmation-over");
  await visit.follow("main a.button");
  await visit.signIn(user.username);
  assert.equal(visit.path(), profile, "the sign-in goes on to the profile");
}

async function changeProfile(visit, name) {
  await visit.look("profile");
  await visit.write("#name", "");
  await visit.follow(`form[action$=profile] button`);
  assert.equal(await visit.focused("#name"), true, "the field with the mistake has the focus");
  await visit.look("profile-complaint");
  await visit.type("Lena Löst");
  await visit.follow(`form[action$=profile] button`);
  await visit.write("#email", `other-${name}@example.com`);
  await visit.tabTo("#email-current_password");
  await visit.type("not the password");
  await visit.follow("form[action$=email] button");
  assert.equal(await visit.focused("#email-current_password"), true, "the field with the mistake has the focus");
  await visit.look("profile-wrong-password");
  await visit.type(password);
  await visit.follow("form[action$=email] button");
  assert.match(await visit.page.textContent("[role=status]"), /address/);
  await visit.look("profile-address");
  await linkIn(`other-${name}@example.com`, 1, "/users/confirmation");
  await visit.follow("form[action$=confirmation] button");
  await visit.look("profile-mailed");
  await visit.follow(`main a[href='/users/${name}']`);
  assert.match(await visit.page.textContent("h1"), /Lena Löst/);
  await visit.look("person");
  await visit.open(base + profile);
}

async function losePassword(visit, name) {
  const address = `other-${name}@example.com`, context = visit.page.context(), before = await context.cookies();
  await context.clearCookies(); // which leaves the session to somebody else
  await visit.open(`${base}/users/sign_in`);
  await visit.follow("main a[href='/users/password/new']");
  await visit.look("forgot");
  await visit.type(name);
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /If there is such an account/);
  await visit.look("forgot-asked");
  const link = await linkIn(address, 3, "/users/password");
  await visit.open(link);
  await visit.look("new-password");
  await visit.type("short");
  await visit.submit("Enter");
  assert.equal(await visit.focused("#password"), true, "the field with the mistake has the focus");
  await visit.look("new-password-complaint");
  await visit.type(another);
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /Your password is set/);
  await visit.look("new-password-set");
  await visit.open(link);
  await visit.look("new-password-over");
  await context.addCookies(before);
  await visit.open(base + profile);
  assert.equal(visit.path(), "/users/sign_in", "sessions from before the new password are over");
  await visit.type(name);
  await visit.tabTo("#password");
  await visit.type(another);
  await visit.submit("Enter");
  assert.equal(visit.path(), profile);
}

// handOverLink has an administrator make a link.
async function handOverLink(visit, { id }) {
  await visit.page.context().clearCookies();
  await visit.open(`${base}/admin/users/${id}`);
  await visit.signIn("root");
  const form = `form[action="/admin/users/${id}/reset_link"]`;
  await visit.ask(form);
  await visit.look("admin-reset-link-asks");
  await visit.follow(`${form} button`);
  assert.match(await visit.page.textContent("#reset-link"), new RegExp(`^${base}/users/password\\?token=`));
  await visit.look("admin-reset-link");
}
