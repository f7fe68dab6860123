// Sets up two-factor authentication in Chromium, as visit.mjs says, signs in
// with it and turns it off again: as a user of its own in every look.
//
// GATEHOUSE_ROOT_TOKEN  a token of the administrator root, with scope api
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import jsQR from "jsqr";
import { base, inEveryLook, password, required } from "./visit.mjs";

const token = required("GATEHOUSE_ROOT_TOKEN");
const settings = "/user_settings/two_factor";

let walks = 0;
await inEveryLook("two_factor", async (visit) => {
  const username = `careful-${++walks}`;
  await createUser(username);
  await givePassword(visit, username);
  const { seed, step, codes } = await enrol(visit, username);
  await signOut(visit);

  const code = codeOf(seed, step + 1); // the app's clock may be one step ahead
  await givePassword(visit, username);
  await visit.look("second-step");
  await giveCode(visit, code);
  assert.equal(visit.path(), settings, "the sign-in leads back to where it came from");
  await signOut(visit);

  await givePassword(visit, username);
  await giveCode(visit, code);
  assert.match(await visit.page.textContent("[role=alert]"), /used before/, "a code is good once");
  await visit.look("second-step-refused");
  await visit.tabTo("a[href*=recovery]");
  await visit.submit("Enter");
  await visit.look("second-step-recovery");
  await giveCode(visit, codes[0]);
  assert.match(await visit.page.textContent("[role=status]"), /recovery code/);
  assert.match(await visit.page.textContent("dl.facts"), /left\s*9/);
  await visit.look("two-factor-on");
  await turnOff(visit);
});

async function createUser(username) {
  const answer = await fetch(`${base}/api/v4/users`, {
    method: "POST", headers: { "PRIVATE-TOKEN": token, "Content-Type": "application/json" },
    body: JSON.stringify({ username, name: "Cara Careful", email: `${username}@example.com`, password }),
  });
  assert.equal(answer.status, 201);
}

async function givePassword(visit, username) {
  await visit.open(base + settings);
  await visit.signIn(username);
}

async function giveCode(visit, code) {
  await visit.tabTo("#code");
  await visit.type(code);
  await visit.submit("Enter");
}

async function signOut(visit) {
  await visit.tabTo(".account button");
  await visit.submit("Enter");
}

// enrol brings the seed into an app that reads the QR code.
async function enrol(visit, username) {
  const { page } = visit;
  await visit.look("two-factor-off");
  await visit.tabTo("#password-begin");
  await visit.type("not the password");
  await visit.submit("Enter");
  await visit.look("two-factor-off-refused");
  await visit.type(password);
  await visit.submit("Enter");
  await visit.look("two-factor-new");

  const uri = new URL(await readQR(page));
  assert.ok(uri.href.startsWith(`otpauth://totp/Gatehouse:${username}?`), uri.href);
  assert.equal(uri.searchParams.get("issuer"), "Gatehouse");
  const seed = uri.searchParams.get("secret");
  assert.equal((await page.textContent("#two-factor-secret")).replaceAll(" ", ""), seed);

  await giveCode(visit, codeOf(seed, stepNow() + 100));
  assert.match(await page.textContent(".complaint"), /not right/);
  await visit.look("two-factor-new-refused");
  const step = stepNow();
  await giveCode(visit, codeOf(seed, step));
  const codes = await page.locator("ol.recovery code").allTextContents();
  assert.equal(codes.length, 10);
  await visit.look("recovery-codes");
  await visit.tabTo(".actions a.button:not([download])");
  await visit.submit("Enter");
  assert.ok(!(await page.content()).includes(codes[0]), "recovery codes are shown once");
  return { seed, step, codes };
}

async function turnOff(visit) {
  await visit.ask("form[action$=disable]");
  await visit.look("two-factor-asks");
  await visit.tabTo("#password-disable");
  await visit.type(password);
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /is off/);
}

// readQR reads the QR code from the drawing, of which each module becomes a
// square of pixels.
async function readQR(page) {
  const size = Number((await page.getAttribute("svg.qr", "viewBox")).split(" ")[2]);
  const scale = 4, side = size * scale;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y, run] of (await page.getAttribute("svg.qr path", "d")).matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = y * scale; row < (Number(y) + 1) * scale; row++) {
      for (let column = x * scale; column < (Number(x) + Number(run)) * scale; column++) {
        pixels.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3);
      }
    }
  }
  const read = jsQR(pixels, side, side);
  assert.ok(read, "the QR code can be read");
  return read.data;
}

function stepNow() { return Math.floor(Date.now() / 30_000); }

// codeOf is what an authenticator app shows (RFC 6238).
function codeOf(secret, step) {
  const bits = [...secret].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const seed = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", seed).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
