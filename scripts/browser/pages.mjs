// Uses the pages of oneself in Chromium, as visit.mjs says.
//
// The administrator must have no applications yet; the walk leaves none.
import assert from "node:assert/strict";
import http from "node:http";
import { base, inEveryLook, password } from "./visit.mjs";

const client = await startClient();
try {
  await inEveryLook("pages", walk);
} finally {
  client.close();
}

// walk takes a newcomer's way through all pages.
async function walk(visit) {
  await signIn(visit);
  const clientID = await registerApplication(visit);
  await denyAndApprove(visit, clientID);
  await takeAccessBack(visit, clientID);
  await makeRotateAndRevokeToken(visit);
  await endSessions(visit);
  await readTrail(visit);
  await passTrusted(visit, clientID);
  await renewAndDelete(visit);
  await visit.open(`${base}/user_settings/nowhere`);
  await visit.look("not-found");
}

async function signIn(visit) {
  await visit.open(base + "/");
  await visit.look("sign-in");
  await visit.type("root");
  await visit.tabTo("#password");
  await visit.type("not the password");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=alert]"), /not right/);
  await visit.look("sign-in-refused");
  await visit.type(password);
  await visit.submit("Enter");
  assert.equal(visit.path(), "/");
}

async function registerApplication(visit) {
  await visit.open(`${base}/user_settings/applications`);
  await visit.look("applications-empty");
  await visit.tabTo("main a.button");
  await visit.submit("Enter");
  await visit.look("application-new");
  await visit.tabTo("form.card .actions button");
  await visit.submit("Enter");
  assert.equal(await visit.page.locator(".complaint").count(), 3);
  assert.equal(await visit.focused("#name"), true, "the first field with a mistake has the focus");
  await visit.look("application-complaints");

  await visit.type("Weather station");
  await visit.tabTo("#redirect_uri");
  await visit.type(client.callback);
  for (const scope of ["read_api", "read_user"]) {
    await visit.tabTo(`input[value=${scope}]`);
    await visit.page.keyboard.press("Space");
  }
  await visit.tabTo("form.card .actions button");
  await visit.submit("Enter");
  const secret = await visit.page.textContent("#application-secret");
  assert.match(secret, /^gtoas-[0-9a-f]{64}$/);
  await visit.look("application-secret");
  if (visit.scripted) {
    assert.match(visit.path(), /^\/user_settings\/applications\/\d+$/, "reloading shows the application");
    await visit.tabTo("button[data-copy=application-secret]");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await visit.page.evaluate(() => navigator.clipboard.readText()), secret);
  }
  await visit.tabTo(".actions a.button");
  await visit.submit("Enter");
  assert.ok(!(await visit.page.content()).includes(secret), "the secret is shown once");
  await visit.look("application");
  const clientID = await visit.page.textContent("#application-id");
  await visit.open(`${base}/user_settings/applications`);
  await visit.look("applications");
  return clientID;
}

async function denyAndApprove(visit, clientID) {
  const deny = "button[value=deny]", approve = "button[value=approve]";
  await visit.open(authorizeAddress(clientID));
  await visit.look("consent");
  await visit.tabTo(deny);
  let answer = await answerOf(visit);
  assert.equal(answer.get("error"), "access_denied");

  await visit.open(authorizeAddress(clientID));
  await visit.tabTo(approve);
  answer = await answerOf(visit);
  assert.ok(answer.get("code"), "an approval gives a code");

  await visit.open(authorizeAddress(clientID, { response_mode: "form_post" }));
  await visit.tabTo(approve);
  if (!visit.scripted) {
    await visit.submit("Enter");
    await visit.look("form-post");
  }
  answer = await answerOf(visit);
  assert.ok(answer.get("code"), "form_post gives a code");

  await visit.open(authorizeAddress(clientID, { redirect_uri: "https://elsewhere.example/" }));
  await visit.look("authorize-error");
}

// takeAccessBack ends what an application that used its code can do.
async function takeAccessBack(visit, clientID) {
  await visit.open(`${base}/user_settings/applications`);
  await visit.tab("authorized_applications");
  await visit.look("authorized-empty");
  await visit.open(authorizeAddress(clientID));
  await visit.tabTo("button[value=approve]");
  const access = await exchange(clientID, (await answerOf(visit)).get("code"));
  await visit.open(`${base}/user_settings/applications`);
  await visit.tab("authorized_applications");
  await visit.look("authorized");
  await visit.ask("form[action$=revoke]");
  await visit.look("authorized-asks");
  assert.equal(await infoStatus(access), 200);
  await visit.tabTo("form[action$=revoke] button");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /cannot act for you/);
  assert.equal(await infoStatus(access), 401, "what was revoked ends at once");
  await visit.look("authorized-revoked");
}

async function makeRotateAndRevokeToken(visit) {
  await visit.tab("personal_access_tokens");
  await visit.look("tokens");
  await visit.tabTo("main a.button");
  await visit.submit("Enter");
  await visit.look("token-new");
  await visit.tabTo("form.card .actions button");
  await visit.submit("Enter");
  assert.equal(await visit.page.locator(".complaint").count(), 2);
  assert.equal(await visit.focused("#name"), true, "the first field with a mistake has the focus");
  await visit.look("token-complaints");

  await visit.type("Nightly backup");
  await visit.tabTo("input[value=read_api]");
  await visit.page.keyboard.press("Space");
  await visit.tabTo("form.card .actions button");
  await visit.submit("Enter");
  const first = await shownToken(visit);
  await visit.look("token-text");
  await visit.tabTo(".actions a.button");
  await visit.submit("Enter");
  assert.ok(!(await visit.page.content()).includes(first), "the token is shown once");
  assert.equal(await infoStatus(first), 200);
  await visit.look("token");
  await visit.ask("form[action$=rotate]");
  await visit.look("token-asks");
  await visit.tabTo("form[action$=rotate] button");
  await visit.submit("Enter");
  const second = await shownToken(visit);
  assert.equal(await infoStatus(first), 401, "rotating ends the token before");
  await visit.tabTo(".actions a.button");
  await visit.submit("Enter");
  await visit.ask("form[action$=revoke]");
  await visit.tabTo("form[action$=revoke] button");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /revoked/);
  assert.equal(await infoStatus(second), 401);
  await visit.look("token-revoked");
}

async function shownToken(visit) {
  const token = await visit.page.textContent("#access-token");
  assert.match(token, /^gtpat-[0-9a-f]{40}$/);
  return token;
}

async function endSessions(visit) {
  await signInElsewhere("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1");
  await signInElsewhere("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0");
  await visit.tab("sessions");
  await visit.look("sessions");
  const sessions = () => visit.page.locator("main h2 .badge, main form[action$='/end']").count();
  const before = await sessions();
  assert.ok(before >= 3, "all sessions are listed");
  await visit.ask("form[action$='/end']");
  await visit.look("sessions-asks");
  await visit.tabTo("form[action$='/end'] button");
  await visit.submit("Enter");
  assert.equal(await sessions(), before - 1);
  await visit.ask("form[action$=end_others]");
  await visit.tabTo("form[action$=end_others] button");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /everywhere else/);
  assert.equal(await sessions(), 1);
  await visit.look("sessions-ended");
}

// readTrail finds what the walk did, on one's own page and the administrators'.
async function readTrail(visit) {
  await visit.tab("audit");
  assert.match(await visit.page.textContent("main"), /Signed out everywhere else[^]*Access token rotated/);
  await visit.look("security-log");
  await visit.open(`${base}/admin`);
  await visit.look("admin-users");
  await visit.follow("main tr:has-text('@root') a");
  await visit.follow("main a[href*='/admin/audit?user=root']");
  await visit.look("admin-audit");
  await visit.tabTo("#event");
  await visit.page.selectOption("#event", "user.sign_in_failed");
  await visit.tabTo("form.filter button");
  await visit.submit("Enter");
  assert.deepEqual([...new Set(await visit.page.locator("td.title").allInnerTexts())], ["Sign-in failed"]);
  await visit.look("admin-audit-filtered");
  await visit.open(`${base}/user_settings/applications`);
}

// signInElsewhere signs the administrator in with another browser.
async function signInElsewhere(userAgent) {
  const body = new URLSearchParams({ login: "root", password });
  const answer = await fetch(`${base}/users/sign_in`, { method: "POST", body, redirect: "manual", headers: { "User-Agent": userAgent } });
  assert.equal(answer.status, 303);
}

// exchange returns the access token that an application gets for its code.
async function exchange(clientID, code) {
  const answer = await fetch(`${base}/oauth/token`, { method: "POST", body: new URLSearchParams({
    grant_type: "authorization_code", client_id: clientID, code, redirect_uri: client.callback,
    code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  }) });
  assert.equal(answer.status, 200);
  return (await answer.json()).access_token;
}

// infoStatus tells whether a token is good: 200 or 401.
async function infoStatus(token) {
  return (await fetch(`${base}/oauth/token/info`, { headers: { Authorization: `Bearer ${token}` } })).status;
}

// passTrusted signs in on the way to an application that asks nothing, so that
// the sign-in form is redirected all the way to the application.
async function passTrusted(visit, clientID) {
  await visit.open(`${base}/user_settings/applications`);
  await visit.tabTo("td a");
  await visit.submit("Enter");
  await visit.tabTo("main a[href$=edit]");
  await visit.submit("Enter");
  await visit.tabTo("input[name=trusted]");
  await visit.page.keyboard.press("Space");
  await visit.tabTo("form.card .actions button");
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /saved/);
  await visit.look("application-saved");
  await visit.tabTo(".account button", "Shift+Tab");
  await visit.submit("Enter");
  await visit.look("signed-out");

  await visit.open(authorizeAddress(clientID));
  await visit.look("sign-in-for-application");
  await visit.type("root");
  await visit.tabTo("#password");
  await visit.type(password);
  const answer = await answerOf(visit);
  assert.ok(answer.get("code"), "a trusted application gets its code at once");
}

async function renewAndDelete(visit) {
  await visit.open(`${base}/user_settings/applications`);
  await visit.tabTo("td a");
  await visit.submit("Enter");
  const [renew, remove] = ["form[action$=renew_secret]", "form[action$=delete]"];
  await visit.tabTo(`details:has(${renew}) summary`);
  await visit.page.keyboard.press("Enter");
  await visit.look("application-asks");
  await visit.tabTo(`${renew} button`);
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("#application-secret"), /^gtoas-/);
  await visit.tabTo(".actions a.button");
  await visit.submit("Enter");
  await visit.tabTo(`details:has(${remove}) summary`);
  await visit.page.keyboard.press("Enter");
  await visit.tabTo(`${remove} button`);
  await visit.submit("Enter");
  assert.match(await visit.page.textContent("[role=status]"), /deleted/);
  await visit.look("application-deleted");
}

// answerOf presses Enter and returns what the application then receives.
async function answerOf(visit) {
  const received = client.next();
  await visit.page.keyboard.press("Enter");
  const answer = await received;
  await visit.page.getByText("Thank you").waitFor();
  assert.equal(answer.get("state"), "st&te=1 ü");
  return answer;
}

function authorizeAddress(clientID, more = {}) {
  return `${base}/oauth/authorize?` + new URLSearchParams({
    client_id: clientID, redirect_uri: client.callback, response_type: "code",
    scope: "read_user read_api", state: "st&te=1 ü",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256", ...more,
  });
}

// startClient serves an application's redirect URI on this machine. As many
// applications do, it sends the person on to another host of its own.
async function startClient() {
  let waiting = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url, "http://client");
    if (pathname !== "/callback") {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end("<!doctype html><html lang=en><link rel=icon href=data:,><title>Client</title>Thank you");
      return;
    }
    response.writeHead(303, { Location: `http://localhost:${server.address().port}/welcome` }).end();
    const answer = request.method === "POST" ? new URLSearchParams(body) : searchParams;
    for (const resolve of waiting.splice(0)) resolve(answer);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    callback: `http://127.0.0.1:${server.address().port}/callback`,
    close: () => { server.close(); server.closeAllConnections(); },
    next: () => new Promise((resolve, reject) => {
      waiting.push(resolve);
      setTimeout(() => reject(new Error("the application received no answer within 10 s")), 10_000).unref();
    }),
  };
}
