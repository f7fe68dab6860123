// Calls Gatehouse with the types that openapi-typescript makes of openapi.json, and
// openapi-fetch.
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const client = createClient<paths>({
  baseUrl: `${process.env.GATEHOUSE_URL}/api/v4`,
  headers: { 'PRIVATE-TOKEN': process.env.GATEHOUSE_ROOT_TOKEN },
})

const me = await client.GET('/user')
assert.equal(me.data?.admin, true)
assert.equal(me.data.avatar_url, null)

const { data: project } = await client.POST('/projects', { body: { name: 'Typed Types', visibility: 'internal' } })
assert.ok(project)
assert.equal(project.path, 'typed-types')
const path = { id: String(project.id) }
const refused = await client.POST('/projects', { body: { name: 'Typed Types' } })
assert.equal(refused.response.status, 400)
assert.ok(refused.error && 'message' in refused.error)

let listed: components['schemas']['Project'][] = []
for (let page = 1; ; page++) {
  const { data, response } = await client.GET('/projects', { params: { query: { page, per_page: 1 } } })
  assert.ok(data)
  listed = listed.concat(data)
  if (!response.headers.get('X-Next-Page')) break
}
assert.ok(listed.some(({ id }) => id === project.id))

const { data: integration } = await client.POST('/projects/{id}/monitor/integrations', {
  params: { path },
  body: {
    name: 'Uptime',
    type: 'http',
    active: true,
    payload_attribute_mapping: { title: { path: ['check', 0, 'name'], type: 'STRING' } },
  },
})
assert.ok(integration)
assert.match(integration.authorization_key ?? '', /^gtin-/)
const tested = await client.POST('/projects/{id}/monitor/integrations/{integration_id}/test', {
  params: { path: { ...path, integration_id: integration.id } },
  body: { payload: { check: [{ name: 'Disk full' }] } },
})
assert.equal(tested.data?.length, 1)

const alerts = await client.GET('/projects/{id}/monitor/alerts', { params: { path, query: { status: 'triggered', order_by: 'severity' } } })
assert.deepEqual(alerts.data?.map(({ title, status }) => ({ title, status })), [{ title: 'Disk full', status: 'triggered' }])

console.log('openapi-typescript: types compiled; read /user, made a project and an integration, paged through projects, listed alerts')
