// A third-party application written with simple-oauth2. It sends a user through
// sign-in and consent as a browser would, and uses, refreshes and revokes the
// tokens.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import { assertEnded, assertRefreshed, assertUser, authorize, base, callback, newcomer, register } from './people.mjs'

const username = await newcomer()
const app = await register('simple-oauth2', 'api read_user')
const client = new AuthorizationCode({ client: app, auth: { tokenHost: base } })

// The library passes on what PKCE needs but does not make it.
const verifier = randomBytes(32).toString('base64url')
const state = randomBytes(16).toString('base64url')
const address = client.authorizeURL({
  redirect_uri: callback,
  scope: ['read_user'],
  state,
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
})
const back = (await authorize(address, username)).searchParams
assert.equal(back.get('state'), state)
const first = await client.getToken({ code: back.get('code'), redirect_uri: callback, code_verifier: verifier })
assert.equal(first.token.scope, 'read_user')
assert.equal(first.expired(), false)
await assertUser(first.token.access_token, username)

const second = await first.refresh()
await assertRefreshed(first.token, second.token, username)

await second.revokeAll()
await assertEnded(second.token.access_token)
await assert.rejects(second.refresh(), (error) => error.data.payload.error === 'invalid_grant')

console.log('simple-oauth2: registered, authorized, exchanged with S256, read /user, refreshed, revoked, saw 401')
