import { forEach, throwFirst } from '../execution/for-each.ts'
import type { Readable } from './access-objects.ts'
import type { AccessedNode, PayloadAccess } from './payload-access.ts'

/** What a node was assigned, and has to be able to read again should it lose its disk. */
export interface AccessNeed {
  readonly node: AccessedNode
  readonly readable: readonly Readable[]
}

const GRANTED_AT_ONCE = 200
const IN_FLIGHT = 8

/**
 * Nodes that were assigned before this controller wrote Roles, or whose Role somebody deleted, get it here. Those that cannot get theirs
 * take no place of others, and are told of when the others have theirs.
 * @returns whether that was all
 * @throws {Error} when there are such, and no others
 */
export async function grantMissing(
  access: PayloadAccess | undefined,
  needs: readonly AccessNeed[],
): Promise<{ readonly isDone: boolean }> {
  if (!access) return { isDone: true }
  const missing = needs.filter(({ node, readable }) => !access.isGranted(node, readable))
  const failures: unknown[] = []
  let granted = 0
  for (let next = 0; next < missing.length; next += GRANTED_AT_ONCE) {
    if (granted >= GRANTED_AT_ONCE) return { isDone: false }
    const some = missing.slice(next, next + GRANTED_AT_ONCE)
    const failed = await forEach(some, { atOnce: IN_FLIGHT }, ({ node, readable }) => access.restore(node, readable))
    failures.push(...failed.values())
    granted += some.filter(({ node, readable }) => access.isGranted(node, readable)).length
  }
  throwFirst(failures)
  return { isDone: true }
}
