// Holds @auth/core and next-auth, of which one followed the other, to the same test.
import assert from 'node:assert/strict'
import { assertEnded, assertRefreshed, assertUser, authorize, base, callback, register, send } from './people.mjs'
import { world } from './world.mjs'

// walk signs a person in with the application that make returns: a handler of requests
// that has these options besides its provider.
export async function walk(name, make) {
  const app = await register(name, 'read_user', `${callback}/callback/gitlab`)
  const tokens = new Tokens(app)
  const cookies = new Map()
  const handler = make(app, { secret: 'a secret of the application', callbacks: tokens.callbacks() })
  const ask = async (path, body) => {
    const init = body ? { method: 'POST', body: new URLSearchParams(body) } : {}
    return send({ url: new URL(callback + path), init }, cookies, handler)
  }

  const { csrfToken } = await (await ask('/csrf')).json()
  const signIn = await ask('/signin/gitlab', { csrfToken, callbackUrl: callback })
  const back = await authorize(signIn.headers.get('location'), world.person.username)
  assert.equal(back.searchParams.get('iss'), null, 'iss in an answer to a client without OpenID')
  const arrived = await ask(back.href.slice(callback.length))
  assert.equal(arrived.headers.get('location'), callback)

  const session = async () => (await ask('/session')).json()
  const first = await session()
  assert.equal(first.user.email, world.person.email)
  assert.equal(first.account, String(world.person.id))
  await assertUser(first.access_token, world.person.username)

  tokens.expired = true
  const second = await session()
  assert.equal(second.user.email, world.person.email)
  await assertRefreshed(first, second, world.person.username)

  assert.equal((await tokens.post('/oauth/revoke', { token: second.access_token })).status, 200)
  await assertEnded(second.access_token)
  assert.equal((await tokens.post('/oauth/token', refresh(second))).status, 400, 'a refresh after the revocation')
}

// Tokens keeps the tokens in the session, as both libraries leave it to the application.
class Tokens {
  expired = false

  constructor(app) {
    this.app = app
  }

  callbacks() {
    return {
      jwt: async ({ token, account }) => {
        if (account) return { ...token, ...kept(account), account: account.providerAccountId }
        if (!this.expired) return token
        this.expired = false
        const response = await this.post('/oauth/token', refresh(token))
        assert.equal(response.status, 200, 'refresh')
        return { ...token, ...kept(await response.json()) }
      },
      session: ({ session, token }) => ({ ...session, ...kept(token), account: token.account }),
    }
  }

  post(path, form) {
    const body = new URLSearchParams({ ...form, client_id: this.app.id, client_secret: this.app.secret })
    return fetch(base + path, { method: 'POST', body })
  }
}

function refresh({ refresh_token }) {
  return { grant_type: 'refresh_token', refresh_token }
}

function kept({ access_token, refresh_token }) {
  return { access_token, refresh_token }
}
