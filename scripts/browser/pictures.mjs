// Makes the pictures of the README from the demonstration's data, in light and dark. Beside
// them stands what their pages say, without numbers and times.
//
//   node pictures.mjs DIR           writes them there
//   node pictures.mjs --check DIR   says whether those in there still show what pages say
import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { base, launch } from "./visit.mjs";

const [checks, dir] = process.argv[2] === "--check" ? [true, process.argv[3]] : [false, process.argv[2]];
const most = 100_000; // bytes of a picture
const home = "/console/acme/web-shop";
const desktop = { width: 1040, height: 640 }, phone = { width: 390, height: 780 };

const scenes = {
  alerts: { viewport: desktop, go: (page) => page.goto(`${base}${home}/alerts`) },
  alert: { viewport: phone, go: openGravest },
  mapping: { viewport: { width: 1040, height: 560 }, go: mapPayloads },
  "on-call": { viewport: desktop, go: (page) => page.goto(`${base}${home}/oncall`) },
};

const browser = await launch();
try {
  const words = {};
  for (const colorScheme of checks ? ["light"] : ["light", "dark"]) {
    for (const [name, scene] of Object.entries(scenes)) {
      const shown = await picture(name, colorScheme, scene);
      words[name] ??= shown;
    }
  }
  await keep("pages.json", JSON.stringify(words, null, 1) + "\n");
} finally {
  await browser.close();
}
if (checks) await checkReadme();
console.log(checks ? "pictures: the README shows the pages as they are" : `pictures: written to ${dir}`);

// picture takes one picture, and returns what its page says.
async function picture(name, colorScheme, { viewport, go }) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", timezoneId: "UTC" });
  const page = await context.newPage();
  await signIn(page);
  await go(page);
  if (!checks) await keep(`${name}-${colorScheme}.png`, await page.screenshot());
  const said = await page.locator("main :is(h1, h2, th, label, button, summary, dt)").allInnerTexts();
  await context.close();
  return [...new Set(said.map((text) => text.replace(/\s+/g, " ").trim()))].filter((text) => text && !/\d/.test(text));
}

async function signIn(page) {
  await page.goto(`${base}/users/sign_in`);
  await page.fill("#login", "marco");
  await page.fill("#password", "gatehouse-demo");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

async function openGravest(page) {
  await page.goto(`${base}${home}/alerts`);
  await Promise.all([page.waitForNavigation(), page.click("tbody td.title a")]);
}

// mapPayloads connects Zabbix, and looks at what becomes of its first sample.
async function mapPayloads(page) {
  await page.goto(`${base}${home}/settings/integrations/new`);
  await page.selectOption("#preset", "zabbix");
  await Promise.all([page.waitForNavigation(), page.click("main form .actions button")]);
  await Promise.all([page.waitForNavigation(), page.click("a[href$='/mapping']")]);
  await page.locator("#choices").evaluate((it) => it.scrollIntoView());
}

// keep writes a file, or compares it with the one that is there.
async function keep(name, content) {
  const file = path.join(dir, name);
  if (checks) {
    assert.equal(content, await readFile(file, "utf8"), `the pages in ${dir} changed: run scripts/pictures and look at them`);
    return;
  }
  assert.ok(content.length < most, `${name} has ${content.length} bytes, want fewer than ${most}`);
  await mkdir(dir, { recursive: true });
  await writeFile(file, content);
}

// checkReadme fails if a picture is not shown, or a shown one is not there.
async function checkReadme() {
  const readme = await readFile(path.join(dir, "../README.md"), "utf8");
  const shown = [...readme.matchAll(/\.pictures\/([\w-]+\.png)/g)].map(([, name]) => name).sort();
  assert.deepEqual([...new Set(shown)], (await readdir(dir)).filter((name) => name.endsWith(".png")).sort());
}
