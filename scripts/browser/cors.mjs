// Uses Gatehouse from a page on another origin, in Chromium: what an
// application that runs in the browser may do, and what it may not.
//
// GATEHOUSE_URL            where Gatehouse runs
// GATEHOUSE_ROOT_TOKEN     a token of its administrator root, with scope api
// GATEHOUSE_ROOT_PASSWORD  root's password
// CHROMIUM                 the browser, as visit.mjs says
import assert from "node:assert/strict";
import http from "node:http";
import { base, launch, password, required } from "./visit.mjs";

const rootToken = required("GATEHOUSE_ROOT_TOKEN");

const origin = await startOrigin();
const application = await register();
const browser = await launch();
try {
  const context = await browser.newContext();
  await signIn(context); // cookies that must not help the other origin
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(origin.url);
  await getAndUseTokens(page);
  await useTheAPI(page);
  await beRefused(page);
} finally {
  await browser.close();
  await unregister();
  origin.close();
}

// getAndUseTokens walks from the token endpoint to revocation.
async function getAndUseTokens(page) {
  const { client_id, client_secret } = application;
  const credentials = { client_id, client_secret };
  const grant = { grant_type: "password", username: "root", password, scope: "openid api" };
  let answer = await fetchFrom(page, "/oauth/token", { form: { ...grant, ...credentials } });
  assert.equal(answer.status, 200);
  const token = answer.body.access_token;
  assert.ok(token);

  answer = await fetchFrom(page, "/oauth/token", { form: grant, headers: { Authorization: "Basic " + btoa(`${client_id}:${client_secret}`) } });
  assert.equal(answer.status, 200, "a preflight allows Authorization");
  answer = await fetchFrom(page, "/oauth/token", { json: { ...grant, ...credentials } });
  assert.equal(answer.status, 200, "a preflight allows a JSON body");
  answer = await fetchFrom(page, "/oauth/token", { form: { ...grant, ...credentials, password: "wrong" } });
  assert.deepEqual([answer.status, answer.body.error], [400, "invalid_grant"], "errors can be read");
  console.log("cors: token is open to other origins");

  const bearer = { headers: { Authorization: `Bearer ${token}` } };
  answer = await fetchFrom(page, "/oauth/token/info", bearer);
  assert.deepEqual([answer.status, answer.body.application?.uid], [200, client_id]);
  answer = await fetchFrom(page, "/oauth/token/info", { headers: { Authorization: "Bearer wrong" } });
  assert.deepEqual([answer.status, answer.body.error], [401, "invalid_token"]);
  console.log("cors: token information is open to other origins");

  if ((await fetch(`${base}/oauth/userinfo`)).status !== 404) await useUserinfo(page, bearer);

  answer = await fetchFrom(page, "/oauth/revoke", { form: { token } });
  assert.deepEqual([answer.status, answer.body.error], [403, "unauthorized_client"]);
  answer = await fetchFrom(page, "/oauth/revoke", { form: { token, ...credentials } });
  assert.equal(answer.status, 200);
  answer = await fetchFrom(page, "/oauth/token/info", bearer);
  assert.equal(answer.status, 401);
  console.log("cors: revocation is open to other origins");
}

async function useUserinfo(page, bearer) {
  for (const method of ["GET", "POST"]) {
    const answer = await fetchFrom(page, "/oauth/userinfo", { ...bearer, method });
    assert.equal(answer.status, 200);
    assert.ok(answer.body.sub);
  }
  const answer = await fetchFrom(page, "/oauth/userinfo", { headers: { Authorization: "Bearer wrong" } });
  assert.equal(answer.status, 401);
  console.log("cors: user information is open to other origins");
}

async function useTheAPI(page) {
  const headers = { "PRIVATE-TOKEN": rootToken, "X-Requested-With": "XMLHttpRequest" };
  let answer = await fetchFrom(page, "/api/v4/users", { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["x-page"], "1", "the headers of lists can be read");
  assert.ok(answer.headers.link);
  assert.ok(answer.headers["x-request-id"]);
  answer = await fetchFrom(page, "/api/v4/user", { method: "DELETE", headers });
  assert.equal(answer.status, 405);
  answer = await fetchFrom(page, "/api/v4/projects/no%2Fwhere", { headers });
  assert.equal(answer.status, 404);
  answer = await fetchFrom(page, "/api/v4/user", {});
  assert.equal(answer.status, 401, "the browser's session opens nothing here");
  console.log("cors: the REST API is open to other origins");
}

// beRefused tries what the browser must not let the page have.
async function beRefused(page) {
  const { client_id, client_secret, redirect_uri } = application;
  const credentials = { client_id, client_secret };
  const authorize = "/oauth/authorize?" + new URLSearchParams({ client_id, redirect_uri, response_type: "code", scope: "api" });
  const refused = {
    "X-Requested-With for a token": ["/oauth/token", { form: credentials, headers: { "X-Requested-With": "XMLHttpRequest" } }],
    "X-Requested-With for a revocation": ["/oauth/revoke", { form: credentials, headers: { "X-Requested-With": "XMLHttpRequest" } }],
    "X-Requested-With for token information": ["/oauth/token/info", { headers: { "X-Requested-With": "XMLHttpRequest" } }],
    "X-Requested-With for user information": ["/oauth/userinfo", { headers: { "X-Requested-With": "XMLHttpRequest" } }],
    "another method for a token": ["/oauth/token", { method: "PUT" }],
    "cookies for a token": ["/oauth/token", { form: credentials, credentials: "include" }],
    "cookies for the REST API": ["/api/v4/user", { credentials: "include" }],
    "introspection": ["/oauth/introspect", { form: { token: "x", ...credentials } }],
    "introspection by a bearer": ["/oauth/introspect", { form: { token: "x" }, headers: { Authorization: "Bearer x" } }],
    "authorization": [authorize, {}],
    "authorization with cookies": [authorize, { credentials: "include" }],
    "consent": ["/oauth/authorize", { form: { ...credentials, redirect_uri, response_type: "code", decision: "approve" }, credentials: "include" }],
  };
  for (const [what, [path, request]] of Object.entries(refused)) {
    const answer = await fetchFrom(page, path, request);
    assert.equal(answer.refused, true, `${what}: answered ${answer.status}, and the page could read it`);
  }
  console.log(`cors: ${Object.keys(refused).length} requests are refused to other origins`);
}

// fetchFrom has the page fetch a path of Gatehouse. What the browser keeps
// from the page comes back as refused.
async function fetchFrom(page, path, { method, form, json, headers = {}, credentials = "omit" }) {
  return page.evaluate(async ({ address, method, form, json, headers, credentials }) => {
    let body;
    if (form) body = new URLSearchParams(form);
    if (json) [body, headers] = [JSON.stringify(json), { ...headers, "Content-Type": "application/json" }];
    try {
      const response = await fetch(address, { method: method ?? (body ? "POST" : "GET"), body, headers, credentials });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), body: text ? JSON.parse(text) : {} };
    } catch (error) {
      if (error instanceof TypeError) return { refused: true };
      throw error;
    }
  }, { address: base + path, method, form, json, headers, credentials });
}

async function signIn(context) {
  const page = await context.newPage();
  await page.goto(`${base}/users/sign_in`);
  await page.fill("#login", "root");
  await page.fill("#password", password);
  await Promise.all([page.waitForURL((url) => url.pathname !== "/users/sign_in"), page.keyboard.press("Enter")]);
  await page.close();
}

// register adds the application whose page this is.
async function register() {
  const redirect_uri = `${origin.url}callback`;
  const response = await fetch(`${base}/api/v4/applications`, {
    method: "POST",
    headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Page elsewhere", redirect_uri, scopes: "api openid" }),
  });
  assert.equal(response.status, 201, await response.clone().text());
  const { id, application_id, secret } = await response.json();
  return { id, client_id: application_id, client_secret: secret, redirect_uri };
}

async function unregister() {
  const response = await fetch(`${base}/api/v4/applications/${application.id}`, { method: "DELETE", headers: { "PRIVATE-TOKEN": rootToken } });
  assert.equal(response.status, 204);
}

// startOrigin serves an empty page on an origin of its own.
async function startOrigin() {
  const server = http.createServer((_, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end("<!doctype html><html lang=en><link rel=icon href=data:,><title>Elsewhere</title>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => { server.close(); server.closeAllConnections(); },
  };
}
