// A third-party application written with oauth4webapi. It discovers the
// server, sends a user through sign-in and consent as a browser would, verifies
// who that is, and uses, refreshes and revokes the tokens.
import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { assertEnded, assertRefreshed, authorize, base, callback, newcomer, register } from './people.mjs'

const scope = 'openid email read_user'
const username = await newcomer()
const app = await register('oauth4webapi', scope)

const insecure = { [oauth.allowInsecureRequests]: true } // the server under test is on loopback
const issuer = new URL(base)
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
const client = { client_id: app.id }
const secret = oauth.ClientSecretBasic(app.secret)

const verifier = oauth.generateRandomCodeVerifier()
const state = oauth.generateRandomState()
const nonce = oauth.generateRandomNonce()
const address = new URL(server.authorization_endpoint)
address.search = new URLSearchParams({
  client_id: app.id,
  redirect_uri: callback,
  response_type: 'code',
  scope,
  state,
  nonce,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
const parameters = oauth.validateAuthResponse(server, client, await authorize(address, username), state)
const exchanged = await oauth.authorizationCodeGrantRequest(server, client, secret, parameters, callback, verifier, insecure)
const first = await oauth.processAuthorizationCodeResponse(server, client, exchanged, { expectedNonce: nonce, requireIdToken: true })
await oauth.validateApplicationLevelSignature(server, exchanged, insecure)

const me = await oauth.protectedResourceRequest(first.access_token, 'GET', new URL(`${base}/api/v4/user`), undefined, undefined, insecure)
assert.equal((await me.json()).username, username)

const { sub } = oauth.getValidatedIdTokenClaims(first)
const asked = await oauth.userInfoRequest(server, client, first.access_token, insecure)
const info = await oauth.processUserInfoResponse(server, client, sub, asked)
assert.equal(info.preferred_username, username)

const second = await refresh(first)
await assertRefreshed(first, second, username)

const revoked = await oauth.revocationRequest(server, client, secret, second.access_token, insecure)
await oauth.processRevocationResponse(revoked)
await assertEnded(second.access_token)
// Every error is a challenge too, and the library looks at that first.
await assert.rejects(refresh(second), ({ cause }) => cause[0].parameters.error === 'invalid_grant')

async function refresh(token) {
  const response = await oauth.refreshTokenGrantRequest(server, client, secret, token.refresh_token, insecure)
  return oauth.processRefreshTokenResponse(server, client, response)
}

console.log('oauth4webapi: registered, discovered, authorized, exchanged with S256, verified the id_token, read userinfo and /user, refreshed, revoked, saw 401')
