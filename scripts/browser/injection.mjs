// Writes markup, scripts, addresses, styles and templates into every text field that the
// REST API has, and looks at every page in Chromium, as visit.mjs says: none of it may run,
// ask for something, or become part of a page.
import assert from "node:assert/strict";
import { base, inEveryLook, required } from "./visit.mjs";

const token = required("GATEHOUSE_ROOT_TOKEN");
const product = String(1337 * 7); // of {{1337*7}}
let written = 0;

// payloads differ each time, as many names have to.
const payloads = [
  () => `"'><script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>{{1337*7}}\${1337*7} ${++written}`,
  () => `</title></textarea></style></script><iframe src=//evil.invalid></iframe><base href=//evil.invalid/> ${++written}`,
  () => `x' autofocus onfocus='alert(1)' style='background:url(https://evil.invalid/x)' ${++written}`,
];
const inMarkdown = () => `[a](javascript:alert(1)) ![b](https://evil.invalid/b.png) [c](data:text/html,<script>alert(1)</script>)\n\n`
  + `<img src=https://evil.invalid/c.png onerror=alert(1)>\n\n\`<script>alert(1)</script>\`\n\n[d]: javascript:alert(1)\n[e][d] <javascript:alert(1)> ${payloads[0]()}`;
const addresses = ["javascript:alert(1)//https://x.example", "data:text/html,<script>alert(1)</script>", `https://x.example/"onmouseover=alert(1)//<script>alert(1)</script>`];

// send calls the REST API as the administrator.
async function send(method, path, body) {
  const answer = await fetch(`${base}/api/v4${path}`, {
    method, body: body && JSON.stringify(body), headers: { "PRIVATE-TOKEN": token, "Content-Type": "application/json" },
  });
  const text = await answer.text();
  assert.ok(answer.status < 500, `${method} ${path} answered ${answer.status} to ${JSON.stringify(body)}`);
  return { ok: answer.ok, status: answer.status, body: text ? JSON.parse(text) : {} };
}

// make is send for what has to work.
async function make(method, path, body) {
  const answer = await send(method, path, body);
  assert.ok(answer.ok, `${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

// furnish makes a thing of every kind, and returns their ids by the names in the
// document, or by the call.
async function furnish() {
  const name = () => `n-${++written}`;
  const user = await make("POST", "/users", { username: name(), name: "N", email: `${name()}@example.com`, password: "the password of n" });
  const root = await make("GET", "/user");
  const group = await make("POST", "/groups", { name: name(), path: name() });
  const project = await make("POST", "/projects", { path: name() });
  const at = `/projects/${project.id}`, monitor = `${at}/monitor`;
  const integration = await make("POST", `${monitor}/integrations`, { name: "Tool", type: "http", active: true });
  const links = addresses.map((address) => ({ runbook: address, link: address, generatorURL: address }));
  for (const payload of [...payloads, inMarkdown]) {
    await deliver(integration, { title: payload(), description: payload(), service: payload(), hosts: [payload()], monitoring_tool: payload(),
      labels: { [payload()]: payload() }, silenceURL: addresses[0], dashboardURL: addresses[1], panelURL: addresses.at(-1),
      [payload()]: payload(), runbook: addresses[0], gitlab_environment_name: payload(), annotations: { [payload()]: payload(), runbook_url: addresses[1] }, links });
  }
  await make("POST", `${monitor}/incidents`, { title: payloads[0](), description: inMarkdown() });
  await make("POST", `${monitor}/incidents/1/alerts`, { alert_iid: 1 });
  const key = payloads[0]();
  await make("POST", `${monitor}/integrations`, { name: payloads[0](), type: "http", active: true,
    payload_example: { [key]: payloads[1](), [payloads[2]()]: inMarkdown() }, payload_attribute_mapping: { title: { path: [key], type: "string", label: payloads[2]() } } });
  const schedule = await make("POST", `${monitor}/schedules`, { name: name(), timezone: "UTC" });
  const rotation = { name: name(), starts_at: "2026-01-01T09:00", length: { value: 1, unit: "weeks" }, participants: [root.id] };
  await make("POST", `${at}/merge_requests`, { title: name(), source_branch: name(), target_branch: "main" });
  const site = await make("POST", "/geo_sites", { name: name(), url: "https://site.example" });
  return {
    "/projects/{id}": project.id, "/groups/{id}": group.id, "/users/{id}": user.id, "/geo_sites/{id}": site.id, "/geo_nodes/{id}": site.id,
    "/user/webhooks/{id}": (await make("POST", "/user/webhooks", { url: "https://hook.example/a" })).id,
    "{user_id}": user.id, root: root.id, "{iid}": 1, "{integration_id}": integration.id, "{schedule_id}": schedule.id, "{license}": "MIT",
    "{rotation_id}": (await make("POST", `${monitor}/schedules/${schedule.id}/rotations`, rotation)).id,
    "{webhook_id}": (await make("POST", `${monitor}/webhooks`, { url: "https://hook.example/b" })).id,
    "{rule_id}": (await make("POST", `${at}/approval_rules`, { name: name(), approvals_required: 1 })).id,
    "{runner_id}": (await make("POST", "/runners", {})).id,
    "{own_rule_id}": (await make("POST", `${at}/merge_requests/1/approval_rules`, { name: name(), approvals_required: 1 })).id,
    license: await make("POST", `${at}/license_approval_policies`, { name: "MIT", approval_status: "allowed" }),
    home: `/console/${project.path_with_namespace}`,
    application: await make("POST", "/applications", { name: payloads[0](), redirect_uri: "https://app.example/callback", scopes: "api" }),
  };
}

async function deliver(integration, payload) {
  const answer = await fetch(integration.url, { method: "POST", body: JSON.stringify(payload), headers: { Authorization: `Bearer ${integration.authorization_key}` } });
  assert.ok(answer.ok, `the integration answered ${answer.status}`);
}

// least is what calls need beside the field that is written.
const least = {
  "POST /users": () => ({ username: `u-${++written}`, name: "U", email: `u-${written}@example.com`, password: "the password of u" }),
  "POST /groups": () => ({ name: "G", path: `g-${++written}` }),
  "POST /projects": () => ({ path: `p-${++written}` }),
  "POST /applications": () => ({ name: "A", redirect_uri: "https://app.example/callback", scopes: "api" }),
  "POST /user/personal_access_tokens": () => ({ name: "T", scopes: ["read_user"] }),
  "POST /users/{id}/personal_access_tokens": () => ({ name: "T", scopes: ["read_user"] }),
  "POST /geo_sites": () => ({ name: `s-${++written}`, url: `https://s-${written}.example` }),
  "POST /projects/{id}/approval_rules": () => ({ name: `r-${++written}`, approvals_required: 1 }),
  "POST /projects/{id}/merge_requests/{iid}/approval_rules": () => ({ name: `r-${++written}`, approvals_required: 1 }),
  "POST /projects/{id}/license_approval_policies": () => ({ name: `l-${++written}`, approval_status: "denied" }),
  "POST /projects/{id}/merge_requests": () => ({ title: "M", source_branch: `b-${++written}`, target_branch: "main" }),
  "PUT /projects/{id}/mirror/pull": () => ({ enabled: true, url: "https://git.example/a.git" }),
  "PUT /projects/{id}/mirror/pull/status": () => ({ update_status: "failed" }),
  "POST /projects/{id}/monitor/integrations": () => ({ name: "I", type: "http", active: true }),
  "PUT /projects/{id}/monitor/integrations/{integration_id}": () => ({ name: "I", type: "http", active: true }),
  "PATCH /projects/{id}/error_tracking/settings": () => ({ active: true, integrated: false, api_url: "https://errors.example/api/0/projects/a/b", token: "t" }),
  "POST /projects/{id}/monitor/incidents": () => ({ title: "I" }),
  "POST /projects/{id}/monitor/schedules/{schedule_id}/rotations": ({ root }) => ({ name: "R", starts_at: "2026-01-01T09:00", length: { value: 1, unit: "weeks" }, participants: [root] }),
  "POST /projects/{id}/monitor/schedules": () => ({ name: `s-${++written}`, timezone: "UTC" }),
  "PUT /projects/{id}/error_tracking/settings": () => ({ active: true, integrated: true }),
};

// narrow matches fields that take nothing of the kind, as only names, times and the like fit.
const narrow = / (usernames?|path|api_url|token|\w*sha|\w+_branch|quiet_\w+|timezone|\w+_arn|\w+_at|redirect_uri|preset)$/;

// writeEverywhere writes into each text field of each call, and returns where it was taken.
async function writeEverywhere(ids) {
  const document = await (await fetch(`${base}/api/v4/openapi.json`)).json();
  const resolved = (schema) => schema?.$ref ? resolved(schema.$ref.split("/").slice(1).reduce((at, name) => at[name], document)) : schema;
  const taken = [], refused = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const schema = resolved(operation.requestBody?.content["application/json"].schema);
      const call = `${method.toUpperCase()} ${path}`;
      if (!schema || operation.deprecated || /test$|verify$/.test(path)) continue;
      let kept = {};
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const { type, enum: choices, format, items } = resolved(property);
        const text = [type].flat().includes("string") && !choices && !format && name !== "password", texts = type === "array" && resolved(items)?.type === "string";
        if (!text && !texts) continue;
        let any = false;
        for (const payload of /ur[il]/.test(name) ? addresses.map((address) => () => address) : [...payloads, inMarkdown]) {
          const value = texts ? [payload()] : payload();
          const answer = await send(method.toUpperCase(), address(path, ids), { ...least[call]?.(ids), ...kept, [name]: value });
          if (!answer.ok) continue;
          any = true;
          if (method !== "post") kept = { ...kept, [name]: value };
        }
        (any ? taken : refused).push(`${call} ${name}`);
      }
    }
  }
  return { taken, refused };
}

// address puts ids into the path of a call.
function address(path, ids) {
  const prefix = path.slice(0, path.indexOf("{id}") + 4);
  return path.replace("{iid}/approval_rules/{rule_id}", "{iid}/approval_rules/{own_rule_id}").replace("{id}", ids[prefix] ?? 1).replace(/\{\w+\}/g, (name) => ids[name] ?? 1);
}

// watch notes in the page what must not happen there.
function watch() {
  window.ran = [];
  window.alert = window.confirm = window.prompt = (text) => window.ran.push(`dialog ${text}`);
  document.addEventListener("securitypolicyviolation", (event) => window.ran.push(`${event.violatedDirective} ${event.blockedURI}`));
}

// injected lists what is in the page that nobody of us put there.
function injected() {
  const ours = (address) => !address || new URL(address, location.href).origin === location.origin || address.startsWith("data:image/");
  const handlers = [...document.querySelectorAll("*")].filter((it) => [...it.attributes].some(({ name }) => name.startsWith("on") || name === "style" || name === "srcdoc"));
  const odd = [...document.querySelectorAll("iframe, base, object, embed, meta[http-equiv=refresh], script:not([src]), style, svg[onload], a[href^='javascript:' i], a[href^='data:' i]")];
  const foreign = [...document.querySelectorAll("[src], link[href], form[action]")].filter((it) => !ours(it.getAttribute("src") ?? it.getAttribute("action") ?? it.getAttribute("href")));
  return [...window.ran, ...[...handlers, ...odd, ...foreign].map((it) => it.outerHTML.slice(0, 200))];
}

// kindOf is the same for pages about things of one kind.
const kindOf = (url) => url.pathname.replace(/\/(\d+|[0-9a-f]{32})(?=\/|$)/g, "/*").replace(/^\/console\/[^/]+\/[^/]+/, "/console/*") + [...url.searchParams.keys()].sort();

// crawl looks at every page that a link leads to, and a few of each kind.
async function crawl({ page, open }, starts, look) {
  const found = new Map(), queue = starts.map((start) => new URL(start, base));
  for (let next; (next = queue.shift());) {
    const seen = found.get(kindOf(next)) ?? [];
    if (seen.includes(next.href) || seen.length >= 2) continue;
    found.set(kindOf(next), [...seen, next.href]);
    await open(next.href);
    await look();
    const links = await page.$$eval("a[href]", (all) => all.map((it) => it.href));
    queue.push(...links.filter((link) => link.startsWith(`${base}/`) && !/\/assets\/|\.ics|\.csv/.test(link)).map((link) => new URL(link.split("#")[0])));
  }
  return found;
}

await inEveryLook("injection", async (visit) => {
  const { page } = visit, wrong = [];
  await page.addInitScript(watch);
  page.on("dialog", (dialog) => { wrong.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.context().on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:image/")) wrong.push(`a request to ${request.url()}`);
  });
  const ids = await furnish();
  const { taken, refused } = await writeEverywhere(ids);
  assert.deepEqual(refused.filter((field) => !narrow.test(field)), [], "fields that took nothing: add to least what else their calls need");
  await visit.open(`${base}/users/sign_in?return_to=${encodeURIComponent("javascript:alert(1)")}`);
  await visit.signIn("root");
  assert.ok(page.url().startsWith(base), "somebody who signed in stays here");
  const payload = encodeURIComponent(payloads[0]());
  const consent = `/oauth/authorize?client_id=${ids.application.application_id}&redirect_uri=${encodeURIComponent("https://app.example/callback")}&response_type=code`;
  const starts = [...["/alerts/1", "/alerts", "/incidents/1", "/incidents", "/oncall", "/settings/integrations", "/settings/webhooks"].map((page) => ids.home + page), `/user_settings/applications/${ids.application.id}`, "/user_settings/applications", "/console", "/admin/users", "/admin/audit", "/admin/mails", "/-/deprecations",
    `/console?search=${payload}`, `/console/search?q=${payload}&in=${payload}`, `/console/search?q=${payload}%231`, `/admin/users?search=${payload}`, `/nowhere/${payload}`, `/console/${payload}`, `/admin/audit?event=${payload}`,
    `${consent}&state=${payload}`, `${consent}&redirect_uri=${payload}`, `/users/sign_in?return_to=${payload}`, `/users/sign_in?return_to=//evil.invalid`];
  const pages = await crawl(visit, starts, async () => {
    wrong.push(...(await page.evaluate(injected)).map((what) => `${page.url()}: ${what}`));
    if ((await page.textContent("body")).includes(product)) wrong.push(`${page.url()} worked out a template`);
  });
  if (process.env.GATEHOUSE_VERBOSE) console.log([...pages.keys()].join("\n"));
  assert.deepEqual(wrong, []);
  assert.ok(pages.size > 40, `only ${pages.size} kinds of pages were seen`);
  console.log(`${taken.length} fields were written, and ${[...pages.values()].flat().length} pages of ${pages.size} kinds looked at`);
}, [{ name: "desktop", viewport: { width: 1280, height: 800 }, userAgent: `Mozilla/5.0 "'><script>alert(1)</script><img src=x onerror=alert(1)>` }]);
