// Asks for lists of people, groups and projects with gitbeaker, as applications do that
// look up who somebody is and what they may do.
import assert from 'node:assert/strict'
import { Gitlab } from '@gitbeaker/rest'
import { base } from './people.mjs'
import { world } from './world.mjs'

const apis = {
  ada: new Gitlab({ host: base, oauthToken: world.token }),
  administrator: new Gitlab({ host: base, token: process.env.GATEHOUSE_ROOT_TOKEN }),
}
const kinds = {
  users: ['Users', 'username'],
  groups: ['Groups', 'full_path'],
  projects: ['Projects', 'path_with_namespace'],
}

for (const { by, of, filter, want, refused } of world.lists) {
  const [resource, name] = kinds[of]
  const options = Object.fromEntries(Object.entries(filter).map(([key, value]) => [camelCase(key), value]))
  const asked = `${of} with ${JSON.stringify(filter)}`
  const found = apis[by][resource].all(options)
  if (refused) {
    await assert.rejects(found, (error) => error.cause.description.includes(refused), asked)
    continue
  }
  const names = (await found).map((thing) => thing[name])
  assert.deepEqual(filter.order_by ? names : names.sort(), want, asked)
}

assert.equal((await apis.ada.Metadata.show()).version, world.version)
const me = await apis.ada.Users.showCurrentUser()
assert.equal(me.id, world.person.id)
for (const path of world.person.groups) assert.equal((await apis.ada.Groups.show(path)).full_path, path)
for (const [path, level] of Object.entries(world.person.levels)) {
  const member = apis.ada.ProjectMembers.show(path, me.id, { includeInherited: true })
  if (level) assert.equal((await member).access_level, level, path)
  else await assert.rejects(member, (error) => error.cause.response.status === 404, path)
}

console.log(`gitbeaker: ${world.lists.length} lists with filters, the person and their groups`)

// camelCase returns the name that the library has for a parameter.
function camelCase(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
}
