// What the walks through the pages share: Chromium at phone width in the dark, and on a
// phone without JavaScript; and somebody in it who uses the keyboard alone. How the pages
// look otherwise is checked by everywhere.mjs.
//
// GATEHOUSE_URL            where Gatehouse runs
// GATEHOUSE_ROOT_PASSWORD  the password of its administrator root
// GATEHOUSE_SCREENSHOTS    a directory for pictures of every page (optional)
// CHROMIUM                 the browser (default Chromium, as Debian installs it)
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { violations } from "./axe.mjs";

export const base = required("GATEHOUSE_URL").replace(/\/$/, "");
export const password = required("GATEHOUSE_ROOT_PASSWORD");
const pictures = process.env.GATEHOUSE_SCREENSHOTS;

const everyLook = [
  { name: "phone-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { name: "phone-without-script", viewport: { width: 320, height: 640 }, colorScheme: "light", javaScriptEnabled: false },
];

// browsers are those to take the first of that is there. Without the windows that nobody sees
// Chromium needs half of the time.
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

// launch starts a browser.
export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? browsers.find(existsSync),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// inEveryLook has somebody walk once in every look, with a browser of their own.
export async function inEveryLook(title, walk, looks = everyLook) {
  const browser = await launch();
  try {
    for (const { name, ...options } of looks) {
      const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
      const visit = await newVisit(context, name, options);
      await walk(visit);
      await context.close();
      assert.deepEqual(visit.complaints, [], `${name}: the browser complained`);
      console.log(`${title}: ${name} is fine`);
    }
  } finally {
    await browser.close();
  }
}

const examined = new Set(); // the pictures that axe-core saw

// newVisit returns what somebody with a keyboard or a thumb can do on a page.
async function newVisit(context, name, { javaScriptEnabled, hasTouch = false, viewport, colorScheme }) {
  const scripted = javaScriptEnabled !== false;
  if (scripted) await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A form with a mistake and the error pages have such a status on purpose.
    const expected = /^Failed to load resource: .* status of (400|404|409|422)/;
    if (message.type() === "error" && !expected.test(message.text())) complaints.push(message.text());
  });
  const visit = {
    page, complaints, scripted,
    path: () => new URL(page.url()).pathname,
    focused: (selector) => page.locator(selector).first().evaluate((element) => element === document.activeElement),
    // type types what a person would, and pastes what is long.
    type: (text) => text.length > 40 ? page.keyboard.insertText(text) : page.keyboard.type(text),

    // open goes to an address, as if it were typed.
    async open(address) {
      await page.goto(address);
      await settle(page);
    },

    // signIn fills in the form for signing in, which is open.
    async signIn(username) {
      await visit.type(username);
      await visit.tabTo("#password");
      await visit.type(password);
      await visit.submit("Enter");
    },

    // tabTo moves the focus as a person would, and fails where one could not.
    async tabTo(selector, key = "Tab") {
      const there = typeof selector === "string" ? page.locator(selector) : selector;
      const element = await there.first().elementHandle();
      for (let presses = 0; presses < 100; presses++) {
        if (await element.evaluate((it) => it === document.activeElement)) return;
        await page.keyboard.press(key);
      }
      assert.fail(`${name}: ${selector} cannot be reached with ${key} on ${page.url()}`);
    },

    // tab goes to another page beside this one, whose address ends so.
    async tab(end) {
      await visit.tabTo(`nav.tabs a[href$=${end}]`);
      await visit.submit("Enter");
      assert.match(await page.getAttribute("nav.tabs [aria-current=page]", "href"), new RegExp(`/${end}$`));
    },

    // follow goes where the first of these links or buttons leads.
    async follow(selector) {
      await visit.tabTo(selector);
      await visit.submit("Enter");
    },

    // hit uses the first of these links, buttons or boxes: with a thumb if there is a
    // touch screen, and else with the keyboard. It waits for the page that this leads to,
    // unless it stays.
    async hit(selector, { stays = false } = {}) {
      const there = page.locator(selector).first();
      if (!hasTouch) {
        const box = there.locator("input[type=checkbox]");
        const key = await box.count() ? "Space" : "Enter";
        await visit.tabTo(key === "Space" ? box : there);
        return stays ? page.keyboard.press(key) : visit.submit(key);
      }
      await there.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await there.boundingBox();
      assert.ok(height >= 44, `${name}: ${selector} is only ${height} px high on ${page.url()}`);
      assert.ok(x >= 0 && x + width <= viewport.width, `${name}: ${selector} is beyond the edge of ${page.url()}`);
      const hidden = await there.evaluate((it, [x, y]) => !it.contains(document.elementFromPoint(x, y)), [x + width / 2, y + height / 2]);
      assert.ok(!hidden, `${name}: something lies over ${selector} on ${page.url()}`);
      if (stays) return there.tap();
      const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), there.tap()]);
      await settle(page);
      await afterDeed(page, answer);
    },

    // write replaces what is in a field.
    async write(selector, text) {
      if (hasTouch) await page.locator(selector).tap();
      else await visit.tabTo(selector);
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    },

    // ask opens the question before the first of these forms. The button that opens it stays
    // where it is, keeps the focus, and closes it again, as Escape does.
    async ask(form) {
      const panel = page.locator("details", { has: page.locator(form) }).first(), opener = panel.locator("summary");
      await visit.tabTo(opener);
      const before = await opener.boundingBox();
      await page.keyboard.press("Enter");
      const after = await opener.boundingBox();
      assert.ok(Math.abs(after.y - before.y) < 1 && after.x <= before.x + before.width && after.x + after.width >= before.x, `${name}: ${form} moves its button`);
      assert.ok(await opener.evaluate((it) => it === document.activeElement), `${name}: ${form} drops the focus`);
      if (!scripted) return;
      await page.keyboard.press("Tab");
      await page.keyboard.press("Escape");
      assert.equal(await panel.evaluate((it) => it.open), false, `${name}: Escape leaves ${form} open`);
      assert.ok(await opener.evaluate((it) => it === document.activeElement), `${name}: Escape drops the focus`);
      await page.keyboard.press("Enter");
    },

    // submit presses a key and waits for the page that it leads to.
    async submit(key) {
      const [answer] = await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.keyboard.press(key)]);
      await settle(page);
      await afterDeed(page, answer);
    },

    async look(picture) {
      const [needed, there, wide] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const beyond = [...document.querySelectorAll("main *, header *")].filter((it) => it.getBoundingClientRect().right > clientWidth);
        return [scrollWidth, clientWidth, beyond.map((it) => it.outerHTML.slice(0, 200)).join("\n")];
      });
      assert.ok(needed <= there, `${name}: ${picture} is ${needed} wide on ${there}: ${wide}`);
      assert.deepEqual(await page.evaluate(nameless), [], `${name}: ${picture} has something without a name`);
      if (scripted && !examined.has(picture)) {
        examined.add(picture);
        assert.deepEqual(await violations(page, { again: true, then: { colorScheme } }), [], `${name}: axe-core finds something wrong with ${picture}`);
      }
      if (pictures) {
        await page.screenshot({ path: path.join(pictures, `${picture}-${name}.png`), fullPage: true });
      }
    },
  };
  return visit;
}

// nameless lists the controls on the page that a screen reader could not name, and what
// breaks the order in which the keyboard reaches them.
export function nameless() {
  const named = (it) => it.textContent.trim() || it.ariaLabel || it.title || [...it.labels ?? []].some((label) => label.textContent.trim())
    || it.getAttribute("aria-labelledby")?.split(" ").every((id) => document.getElementById(id));
  const wrong = [...document.querySelectorAll("input:not([type=hidden], [hidden]), select, textarea, button, a, summary")].filter((it) => !named(it) || it.tabIndex > 0);
  const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
  return [...wrong.map((it) => it.outerHTML), ...ids.filter((id, n) => ids.indexOf(id) !== n)];
}

// afterDeed checks that the page that answers a form says where to read on: the focus is on
// the notice, the field with a mistake, or a heading. Who signs in begins at the top.
async function afterDeed(page, answer) {
  let request = answer?.request();
  while (request?.redirectedFrom()) request = request.redirectedFrom();
  if (request?.method() !== "POST" || !answer.url().startsWith(base) || /^\/users\/(sign_in|two_factor)/.test(new URL(request.url()).pathname)) return;
  assert.ok(await page.evaluate(() => document.activeElement !== document.body), `the form to ${request.url()} drops the focus on ${page.url()}`);
}

// settle waits for the focus that the page gives to a field of its own accord: a
// moment after it was loaded, and until then what somebody types is lost.
async function settle(page) {
  if (await page.locator("[autofocus]").count()) await page.locator("[autofocus]:focus").waitFor();
}

export function required(variable) {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set`);
  return value;
}
