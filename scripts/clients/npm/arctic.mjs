// A third-party application written with arctic. It sends a user through
// sign-in and consent as a browser would, and uses, refreshes and revokes the
// tokens.
import assert from 'node:assert/strict'
import * as arctic from 'arctic'
import { assertEnded, assertRefreshed, assertUser, authorize, base, callback, newcomer, register } from './people.mjs'

const username = await newcomer()
const app = await register('arctic', 'api read_user')
const client = new arctic.OAuth2Client(app.id, app.secret, callback)
const tokenEndpoint = `${base}/oauth/token`

const verifier = arctic.generateCodeVerifier()
const state = arctic.generateState()
const address = client.createAuthorizationURLWithPKCE(
  `${base}/oauth/authorize`, state, arctic.CodeChallengeMethod.S256, verifier, ['read_user'])
const back = (await authorize(address, username)).searchParams
assert.equal(back.get('state'), state)
const first = await client.validateAuthorizationCode(tokenEndpoint, back.get('code'), verifier)
assert.deepEqual(first.scopes(), ['read_user'])
assert.ok(first.accessTokenExpiresAt() > new Date())
await assertUser(first.accessToken(), username)

const second = await client.refreshAccessToken(tokenEndpoint, first.refreshToken(), ['read_user'])
await assertRefreshed(first.data, second.data, username)

await client.revokeToken(`${base}/oauth/revoke`, second.accessToken())
await assertEnded(second.accessToken())
await assert.rejects(client.refreshAccessToken(tokenEndpoint, second.refreshToken(), []), { code: 'invalid_grant' })

console.log('arctic: registered, authorized, exchanged with S256, read /user, refreshed, revoked, saw 401')
