import { sharedAccessName } from '../../protocol/names.ts'
import type { StoredAccess } from './access-objects.ts'
import { ObjectCache } from './object-cache.ts'

const SHARED = sharedAccessName('')

/** RoleBindings by name, and those of a Role that nodes share by that Role. */
export function bindingCache(changed: () => void): ObjectCache<StoredAccess> {
  return new ObjectCache<StoredAccess>(changed, sharedRoleOf)
}

/** None of a RoleBinding whose name says otherwise: the controller may not write such a one. */
function sharedRoleOf({ role, name }: StoredAccess): string | undefined {
  return role.startsWith(SHARED) && name.startsWith(`${role}-`) ? role : undefined
}
