// A third-party application written with openid-client. It discovers the
// server, sends a user through sign-in and consent as a browser would, verifies
// who that is, and uses, refreshes and revokes the tokens.
import assert from 'node:assert/strict'
import * as oauth from 'openid-client'
import { assertEnded, assertRefreshed, authorize, base, callback, newcomer, register } from './people.mjs'

const scope = 'openid email read_user'
const username = await newcomer()
const app = await register('openid-client', scope)

// The server under test is on loopback, so plain http must do. Over https the
// library would take the id_token from the token endpoint on trust.
const discovered = { execute: [oauth.allowInsecureRequests, oauth.enableNonRepudiationChecks] }
const config = await oauth.discovery(new URL(base), app.id, app.secret, undefined, discovered)
assert.equal(config.serverMetadata().authorization_response_iss_parameter_supported, false)
const plain = await oauth.discovery(new URL(base), app.id, app.secret, undefined, { ...discovered, algorithm: 'oauth2' })
assert.equal(plain.serverMetadata().token_endpoint, config.serverMetadata().token_endpoint)

const verifier = oauth.randomPKCECodeVerifier()
const state = oauth.randomState()
const nonce = oauth.randomNonce()
const address = oauth.buildAuthorizationUrl(config, {
  redirect_uri: callback,
  scope,
  state,
  nonce,
  max_age: '60',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
const first = await oauth.authorizationCodeGrant(config, await authorize(address, username), {
  pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 60, idTokenExpected: true,
})
assert.equal(first.token_type, 'bearer')
assert.equal(first.expires_in, 7200)

const me = await oauth.fetchProtectedResource(config, first.access_token, new URL(`${base}/api/v4/user`), 'GET')
assert.equal((await me.json()).username, username)

const claims = first.claims()
assert.equal(claims.email, `${username}@example.com`)
const info = await oauth.fetchUserInfo(config, first.access_token, claims.sub)
assert.equal(info.preferred_username, username)
assert.equal(info.sub_legacy, claims.sub_legacy)

const second = await oauth.refreshTokenGrant(config, first.refresh_token)
assert.equal(second.claims().sub, claims.sub)
await assertRefreshed(first, second, username)

await oauth.tokenRevocation(config, second.access_token)
await assertEnded(second.access_token)
// Every error is a challenge too, and the library looks at that first.
await assert.rejects(oauth.refreshTokenGrant(config, second.refresh_token), ({ cause }) => cause[0].parameters.error === 'invalid_grant')

console.log('openid-client: registered, discovered, authorized, exchanged with S256, verified the id_token, read userinfo and /user, refreshed, revoked, saw 401')
