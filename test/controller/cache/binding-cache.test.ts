import { expect, test } from 'vitest'
import type { StoredAccess } from '../../../src/controller/cache/access-objects.ts'
import { bindingCache } from '../../../src/controller/cache/binding-cache.ts'
import { sharedAccessName } from '../../../src/protocol/names.ts'

const ROLE = sharedAccessName('1234')
const binding = (name: string, role: string) =>
  ({ name, role, namespace: 'nodewave-system', resourceVersion: '1' }) as StoredAccess

test.each<readonly [what: string, name: string, role: string, isOfIt: boolean]>([
  ['a Role that nodes share', `${ROLE}-1`, ROLE, true],
  ['such a Role, with a name that says otherwise', 'mine', ROLE, false],
  ['a Role that nodes do not share', 'other-1', 'other', false],
])('a RoleBinding of %s is found by that Role, or not', (_, name, role, isOfIt) => {
  const cache = bindingCache(() => undefined)
  cache.observe({ type: 'sync', items: [binding(name, role)] })
  expect([...cache.group(role)].map((found) => found.name)).toEqual(isOfIt ? [name] : [])
  expect(cache.get(name)?.role).toBe(role)
})
