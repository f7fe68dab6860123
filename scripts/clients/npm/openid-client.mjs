// A third-party application written with openid-client. It registers itself,
// discovers the server, sends a user through sign-in and consent as a browser
// would, verifies who that is, and uses, refreshes and revokes the tokens.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token.
import assert from 'node:assert/strict'
import { parse } from 'node-html-parser'
import * as oauth from 'openid-client'

const base = process.env.GATEHOUSE_URL
const rootToken = process.env.GATEHOUSE_ROOT_TOKEN
const callback = 'http://127.0.0.1:9/callback' // nobody listens: the walk stops before it
const password = 'a walk in the park'
const username = `walker${process.hrtime.bigint()}`

async function create(path, body) {
  const response = await fetch(`${base}/api/v4${path}`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': rootToken, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 201, `POST ${path}`)
  return response.json()
}

// walk fills in and sends the form of each page until it is sent to the
// callback, whose address it returns.
async function walk(address, answers) {
  const cookies = new Map()
  let request = { url: new URL(address), init: {} }
  for (let pages = 0; pages < 20; pages++) {
    const response = await fetch(request.url, {
      ...request.init,
      redirect: 'manual',
      headers: { ...request.init.headers, cookie: [...cookies].map((c) => c.join('=')).join('; ') },
    })
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split(/=(.*)/)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location) {
      const url = new URL(location, request.url)
      if (url.href.startsWith(callback)) return url
      request = { url, init: {} }
      continue
    }
    assert.equal(response.status, 200, request.url.pathname)
    request = fill(request.url, parse(await response.text()), answers)
  }
  throw new Error('no end after 20 pages')
}

function fill(at, page, answers) {
  for (const form of page.querySelectorAll('form')) {
    const fields = new URLSearchParams()
    let answered = false
    for (const field of form.querySelectorAll('input, button')) {
      const name = field.getAttribute('name')
      if (!name) continue
      if (name in answers && (field.tagName === 'INPUT' || field.getAttribute('value') === answers[name])) {
        fields.set(name, answers[name])
        answered = true
      } else if (field.tagName === 'INPUT') {
        fields.set(name, field.getAttribute('value') ?? '')
      }
    }
    if (answered) {
      return { url: new URL(form.getAttribute('action') ?? '', at), init: { method: 'POST', body: fields } }
    }
  }
  throw new Error(`${at.pathname} has no form to fill in`)
}

await create('/users', { username, name: 'Walker', email: `${username}@example.com`, password })
const app = await create('/applications', { name: 'openid-client', redirect_uri: callback, scopes: 'openid email read_user' })

// The server under test is on loopback, so plain http must do. Over https the
// library would take the id_token from the token endpoint on trust.
const discovered = { execute: [oauth.allowInsecureRequests, oauth.enableNonRepudiationChecks] }
const config = await oauth.discovery(new URL(base), app.application_id, app.secret, undefined, discovered)
assert.equal(config.serverMetadata().authorization_response_iss_parameter_supported, true)
const plain = await oauth.discovery(new URL(base), app.application_id, app.secret, undefined, { ...discovered, algorithm: 'oauth2' })
assert.equal(plain.serverMetadata().token_endpoint, config.serverMetadata().token_endpoint)

const verifier = oauth.randomPKCECodeVerifier()
const state = oauth.randomState()
const nonce = oauth.randomNonce()
const address = oauth.buildAuthorizationUrl(config, {
  redirect_uri: callback,
  scope: 'openid email read_user',
  state,
  nonce,
  max_age: '60',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
const back = await walk(address, { login: username, password, decision: 'approve' })
const first = await oauth.authorizationCodeGrant(config, back, {
  pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 60, idTokenExpected: true,
})
assert.equal(first.token_type, 'bearer')
assert.equal(first.expires_in, 7200)

const user = new URL(`${base}/api/v4/user`)
const me = await oauth.fetchProtectedResource(config, first.access_token, user, 'GET')
assert.equal((await me.json()).username, username)

const claims = first.claims()
assert.equal(claims.email, `${username}@example.com`)
const info = await oauth.fetchUserInfo(config, first.access_token, claims.sub)
assert.equal(info.preferred_username, username)
assert.equal(info.sub_legacy, claims.sub_legacy)

const second = await oauth.refreshTokenGrant(config, first.refresh_token)
assert.notEqual(second.access_token, first.access_token)
assert.notEqual(second.refresh_token, first.refresh_token)
assert.equal(second.claims().sub, claims.sub)
assert.equal(await status(first.access_token), 401)
assert.equal(await status(second.access_token), 200)

await oauth.tokenRevocation(config, second.access_token)
assert.equal(await status(second.access_token), 401)
await assert.rejects(oauth.refreshTokenGrant(config, second.refresh_token), (error) => error.error === 'invalid_grant' || /invalid_grant/.test(JSON.stringify(error.cause)))

async function status(token) {
  return (await fetch(user, { headers: { authorization: `Bearer ${token}` } })).status
}

console.log('openid-client: registered, discovered, authorized, exchanged with S256, verified the id_token, read userinfo and /user, refreshed, revoked, saw 401')
