// Calls Gatehouse with the client that openapi-generator's typescript-fetch makes of
// openapi.json.
import assert from 'node:assert/strict'
import {
  AlertIntegrationsApi,
  AlertsApi,
  Configuration,
  ListAlertsOrderByEnum,
  type Project,
  ProjectsApi,
  ResponseError,
  UsersApi,
} from './fetch/index.js'

const to = new Configuration({
  basePath: `${process.env.GATEHOUSE_URL}/api/v4`,
  accessToken: process.env.GATEHOUSE_ROOT_TOKEN,
})
const projects = new ProjectsApi(to)
const integrations = new AlertIntegrationsApi(to)

const me = await new UsersApi(to).showSelf()
assert.equal(me.admin, true)

const project = await projects.createProject({ newProject: { name: 'Fetched Types', visibility: 'internal' } })
assert.equal(project.path, 'fetched-types')
const id = String(project.id)
await assert.rejects(projects.createProject({ newProject: { name: 'Fetched Types' } }), (error: unknown) => {
  assert.ok(error instanceof ResponseError)
  return error.response.status === 400
})

let listed: Project[] = []
for (let page = 1; ; page++) {
  const answer = await projects.listProjectsRaw({ page, perPage: 1 })
  listed = listed.concat(await answer.value())
  if (!answer.raw.headers.get('X-Next-Page')) break
}
assert.ok(listed.some((one) => one.id === project.id))

const integration = await integrations.createIntegration({ id, newIntegration: { name: 'Uptime', type: 'http', active: true } })
assert.match(integration.authorizationKey ?? '', /^gtin-/)
const tested = await integrations.testIntegration({ id, integrationId: integration.id, testRequest: { payload: { title: 'Disk full' } } })
assert.equal(tested.length, 1)

const alerts = await new AlertsApi(to).listAlerts({ id, status: 'triggered', orderBy: ListAlertsOrderByEnum.Severity })
assert.deepEqual(alerts.map(({ title, status }) => ({ title, status })), [{ title: 'Disk full', status: 'triggered' }])

console.log('openapi-generator (typescript-fetch): client compiled; read /user, made a project and an integration, paged through projects, listed alerts')
