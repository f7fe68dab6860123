// Asks axe-core, at both widths, in light, dark and forced colours, what is wrong with a
// page for people who see, hear or move differently.
import axe from "axe-core";

const widths = [{ width: 1280, height: 800 }, { width: 390, height: 844 }];
const colours = [
  { colorScheme: "light", forcedColors: "none" },
  { colorScheme: "dark", forcedColors: "none" },
  { colorScheme: "light", forcedColors: "active" },
];
// These rules find something else when only the colours of the same things differ.
const aboutColours = ["color-contrast", "link-in-text-block"];

// tools are those of the developer, by page. They stay: their end would take the device
// from a page that uses passkeys.
const tools = new WeakMap();

// install brings axe-core into the page, past the policy of the pages.
async function install(page) {
  if (await page.evaluate(() => "axe" in window)) return;
  if (!tools.has(page)) tools.set(page, await page.context().newCDPSession(page));
  await tools.get(page).send("Runtime.evaluate", { expression: axe.source });
}

// looks are all of them; for a page that was seen in all, though with something else on it,
// two are enough, and the second of them for the colours.
const looks = widths.flatMap((viewport) => colours.map((colour) => ({ viewport, colour })));
const two = [looks[4], looks[0]];

// violations returns what axe-core finds in the looks of the page, which then looks as the
// last one says.
export async function violations(page, { again = false, then = looks[0].colour } = {}) {
  const found = [], viewport = page.viewportSize();
  await install(page);
  for (const [n, { viewport, colour }] of (again ? two : looks).entries()) {
    await page.setViewportSize(viewport);
    await page.emulateMedia(colour);
    const wrong = await page.evaluate(run, again && n > 0 ? aboutColours : undefined);
    found.push(...wrong.map((it) => `${viewport.width} px, ${colour.colorScheme}, forced colours ${colour.forcedColors}: ${it}`));
  }
  await page.setViewportSize(viewport);
  await page.emulateMedia({ forcedColors: "none", ...then });
  return found;
}

async function run(rules) {
  const { violations } = await window.axe.run(document, { runOnly: rules, resultTypes: ["violations"], preload: false });
  return violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join("\n    ")}`);
}
