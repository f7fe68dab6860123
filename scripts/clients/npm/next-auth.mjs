// A third-party application written with next-auth and its GitLab provider, which is told
// where the server is, and no issuer. The framework is not there: what it hands to the
// library is made here.
import NextAuth from 'next-auth'
import GitLab from 'next-auth/providers/gitlab'
import { walk } from './auth.mjs'
import { base, callback } from './people.mjs'

process.env.NEXTAUTH_URL = callback

// read returns the request as the framework hands it to the route [...nextauth].
async function read(request) {
  const url = new URL(request.url)
  const cookies = request.headers.get('cookie').split('; ').map((cookie) => cookie.split(/=(.*)/))
  return {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    cookies: Object.fromEntries(cookies.map(([name, value]) => [name, decodeURIComponent(value)])),
    query: { ...Object.fromEntries(url.searchParams), nextauth: url.pathname.split('/').slice(2) },
    body: request.method === 'POST' ? Object.fromEntries(await request.formData()) : {},
  }
}

// Answer is what the framework offers to answer with.
class Answer {
  code = 200
  headers = new Headers()
  body = null

  response() {
    return new Response(this.body, { status: this.code, headers: this.headers })
  }

  status(code) {
    this.code = code
    return this
  }

  getHeader(name) {
    return name === 'Set-Cookie' ? this.headers.getSetCookie() : this.headers.get(name)
  }

  setHeader(name, value) {
    this.headers.delete(name)
    for (const line of [value].flat()) this.headers.append(name, line)
    return this
  }

  json(value) {
    this.setHeader('Content-Type', 'application/json')
    this.send(value)
  }

  send(value) {
    this.body = typeof value === 'string' ? value : JSON.stringify(value)
  }

  end() {}
}

await walk('next-auth', (app, options) => {
  const provider = GitLab.default({
    clientId: app.id,
    clientSecret: app.secret,
    authorization: { url: `${base}/oauth/authorize` },
    token: `${base}/oauth/token`,
    userinfo: `${base}/api/v4/user`,
  })
  return async (request) => {
    const answer = new Answer()
    await NextAuth.default(await read(request), answer, { ...options, providers: [provider] })
    return answer.response()
  }
})
console.log('next-auth: registered, signed in with S256, kept a session, refreshed, revoked, saw 401')
