// Plays those around a third-party application under test: the administrator
// who registers it, and the person who signs in with a browser.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token.
import assert from 'node:assert/strict'
import { parse } from 'node-html-parser'

export const base = process.env.GATEHOUSE_URL

// callback is where every application's redirect URIs are. Nobody listens there: the
// person stops before it.
export const callback = 'http://127.0.0.1:9/callback'

const password = 'a walk in the park'
const maxPages = 20 // bounds a walk that never arrives

// register makes an application for these scopes, separated by spaces, and
// returns its id and secret.
export async function register(name, scopes, redirect = callback) {
  const app = await create('/applications', { name, redirect_uri: redirect, scopes })
  return { id: app.application_id, secret: app.secret }
}

// newcomer makes a user and returns their user name.
export async function newcomer() {
  const username = `walker${process.hrtime.bigint()}`
  await create('/users', { username, name: 'Walker', email: `${username}@example.com`, password })
  return username
}

async function create(path, body) {
  const response = await fetch(`${base}/api/v4${path}`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': process.env.GATEHOUSE_ROOT_TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 201, `POST ${path}`)
  return response.json()
}

// authorize opens the application's address in a new browser, signs in and
// approves where asked to, and returns the address the browser is sent back to.
export async function authorize(address, username) {
  const answers = { login: username, password, decision: 'approve' }
  const cookies = new Map()
  let request = { url: new URL(address), init: {} }
  for (let pages = 0; pages < maxPages; pages++) {
    const response = await send(request, cookies)
    const location = response.headers.get('location')
    if (location) {
      request = { url: new URL(location, request.url), init: {} }
      if (request.url.href.startsWith(callback)) return request.url
      continue
    }
    assert.equal(response.status, 200, request.url.pathname)
    request = fill(request.url, parse(await response.text()), answers)
  }
  throw new Error(`no end after ${maxPages} pages`)
}

// send makes the request with the cookies, and keeps those of the answer. The handler
// answers it: a server, or an application within this program.
export async function send({ url, init }, cookies, handler = fetch) {
  const cookie = [...cookies].map((c) => c.join('=')).join('; ')
  const response = await handler(new Request(url, { ...init, redirect: 'manual', headers: { cookie } }))
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = line.split(';')[0].split(/=(.*)/)
    cookies.set(name, value)
  }
  return response
}

// fill makes the request that sends the first form of the page that has a
// field to answer.
function fill(at, page, answers) {
  for (const form of page.querySelectorAll('form')) {
    const fields = read(form, answers)
    if (fields) return { url: new URL(form.getAttribute('action') ?? '', at), init: { method: 'POST', body: fields } }
  }
  throw new Error(`${at.pathname} has no form to fill in`)
}

// read returns the fields of a form with the answers in place, or nothing when
// there was none to put in.
function read(form, answers) {
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
  return answered ? fields : undefined
}

// user asks the REST API whose access token this is.
export function user(token) {
  return fetch(`${base}/api/v4/user`, { headers: { authorization: `Bearer ${token}` } })
}

// assertUser fails unless the access token is good and this user's.
export async function assertUser(token, username) {
  const response = await user(token)
  assert.equal(response.status, 200, 'GET /user')
  assert.equal((await response.json()).username, username)
}

// assertRefreshed fails unless the second answer of the token endpoint has
// replaced the first.
export async function assertRefreshed(first, second, username) {
  assert.notEqual(second.access_token, first.access_token)
  assert.notEqual(second.refresh_token, first.refresh_token)
  await assertEnded(first.access_token)
  await assertUser(second.access_token, username)
}

// assertEnded fails if the access token is good for anything.
export async function assertEnded(token) {
  assert.equal((await user(token)).status, 401, 'GET /user')
}
