// A third-party application written with @auth/core and its GitLab provider, which is
// told where the server is, and no issuer.
import { Auth } from '@auth/core'
import GitLab from '@auth/core/providers/gitlab'
import { walk } from './auth.mjs'
import { base, callback } from './people.mjs'

await walk('auth-core', (app, options) => {
  const provider = GitLab({ baseUrl: base, clientId: app.id, clientSecret: app.secret })
  const basePath = new URL(callback).pathname
  return (request) => Auth(request, { ...options, basePath, providers: [provider], trustHost: true })
})
console.log('@auth/core: registered, signed in with S256, kept a session, refreshed, revoked, saw 401')
