// What the walks arrange over REST.
//
// GATEHOUSE_ROOT_TOKEN  a token of the administrator root, with scope api
import assert from "node:assert/strict";
import { base, password, required } from "./visit.mjs";

const token = required("GATEHOUSE_ROOT_TOKEN");

// call uses the REST API as the administrator.
export async function call(method, path, params) {
  const answer = await fetch(`${base}/api/v4${path}`, {
    method, body: params && JSON.stringify(params), headers: { "PRIVATE-TOKEN": token, "Content-Type": "application/json" },
  });
  assert.ok(answer.ok, `${method} ${path} answered ${answer.status}`);
  return answer.status === 204 ? null : answer.json();
}

// newUser adds a user who signs in with the common password.
export const newUser = (username, name, more) => call("POST", "/users", { username, name, email: `${username}@example.com`, password, ...more });
