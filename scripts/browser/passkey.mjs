// Adds a passkey in Chromium, as visit.mjs says, signs in with it, without a password and
// without the code that the account needs otherwise, and removes it again. Chromium brings
// the device that keeps the passkey.
//
// Browsers have no passkeys for an IP address, so GATEHOUSE_URL names localhost.
import assert from "node:assert/strict";
import { call, newUser } from "./rest.mjs";
import { base, inEveryLook, password } from "./visit.mjs";

const settings = "/user_settings/passkeys", step = "/users/sign_in/passkey";

let walks = 0;
await inEveryLook("passkey", async (visit) => {
  const username = `pass-${++walks}`;
  const user = await newUser(username, "Pia Passkey");
  await visit.open(base + settings);
  await visit.signIn(username);
  await visit.look("passkeys-none");
  if (!visit.scripted) return withoutScript(visit, username);

  const device = await plugIn(visit.page);
  await add(visit, "Work laptop");
  assert.match(await visit.page.textContent("[role=status]"), /is added/);
  await visit.look("passkeys");
  await signOut(visit);
  await visit.follow(`main a[href*="${step}"]`); // the browser asks at once
  await visit.page.waitForURL(`${base}/user_settings/profile`);
  assert.match(await visit.page.textContent("main"), new RegExp(`@${username}`));

  await visit.open(base + settings);
  assert.doesNotMatch(await visit.page.textContent("main .card"), /last used never/);
  await addAgain(visit);
  await signOut(visit);
  await refuse(visit, device);
  await rename(visit);
  await remove(visit);
  await reset(visit, user);
});

// plugIn gives the page a device that keeps passkeys and recognises its user.
async function plugIn(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
  } });
  return { recognise: (isUserVerified) => session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }) };
}

async function begin(visit) {
  await visit.tabTo("#password-begin");
  await visit.type(password);
  await visit.submit("Enter");
}

async function add(visit, name) {
  await begin(visit);
  await visit.look("passkey-new");
  await visit.write("#name", name);
  await visit.follow("form[data-passkey] button");
  assert.equal(visit.path(), settings);
}

// addAgain learns that the device has one already.
async function addAgain(visit) {
  await begin(visit);
  await visit.tabTo("form[data-passkey] button");
  await visit.page.keyboard.press("Enter");
  await visit.page.locator("[data-error=InvalidStateError]").waitFor();
  assert.ok(await visit.focused("form[data-passkey] button"), "the focus stays");
  await visit.look("passkey-new-refused");
  await visit.follow(".actions a");
}

async function signOut(visit) {
  await visit.open(`${base}/user_settings/profile`);
  await visit.follow(".account button");
  await visit.open(`${base}/users/sign_in?return_to=/user_settings/profile`);
  await visit.look("sign-in-with-passkeys");
}

// refuse does not get in while the device does not recognise its user.
async function refuse(visit, device) {
  await device.recognise(false);
  await visit.follow(`main a[href*="${step}"]`);
  await visit.page.locator("[data-error=NotAllowedError]").waitFor();
  assert.ok(await visit.focused("form[data-passkey] button"), "the focus is on the button");
  await visit.look("passkey-step-refused");
  await device.recognise(true);
  await visit.follow("form[data-passkey] button");
  assert.equal(visit.path(), "/user_settings/profile");
}

async function rename(visit) {
  await visit.open(base + settings);
  await visit.ask("form[action$=rename]");
  await visit.write("input[id^=name-]", "My laptop");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("main h2"), /My laptop/);
}

async function remove(visit) {
  await visit.ask("form[action$=remove]");
  await visit.look("passkeys-asks");
  await visit.follow("form[action$=remove] button");
  assert.match(await visit.page.textContent("[role=status]"), /was removed/);
  await signOut(visit);
  await visit.follow(`main a[href*="${step}"]`);
  await visit.page.locator("main > section [role=alert]:not([hidden]) >> text=not known here").waitFor();
  await visit.look("passkey-step-unknown");
  await visit.follow(".switch a");
  assert.equal(visit.path(), "/users/sign_in");
}

// reset has an administrator remove the passkeys of somebody who lost the device.
async function reset(visit, user) {
  await visit.open(base + settings);
  await visit.signIn(user.username);
  await add(visit, "Lost phone");
  await call("DELETE", `/users/${user.id}/two_factor`);
  await visit.open(base + settings);
  assert.equal(visit.path(), "/users/sign_in", "the sessions end");
}

// withoutScript sees that passkeys need one, and that the password does not.
async function withoutScript(visit, username) {
  assert.match(await visit.page.textContent("noscript"), /need JavaScript/);
  await begin(visit);
  await visit.follow("form[data-passkey] button");
  assert.match(await visit.page.textContent("[role=alert]"), /needs JavaScript/);
  await visit.look("passkey-new-without-script");
  await visit.open(`${base}/user_settings/profile`);
  await visit.follow(".account button");
  await visit.follow(`main a[href*="${step}"]`);
  await visit.look("passkey-step");
  await visit.follow(".switch a");
  await visit.signIn(username);
  assert.equal(await visit.page.locator(".account button").count(), 1, "the password signs in");
}
