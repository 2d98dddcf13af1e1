import type { Readable } from '../cache/access-objects.ts'
import { forEnough } from '../writes/for-each.ts'
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
 * take no place of others, and are thrown when the others have theirs.
 * @returns whether that was all
 * @throws {Error} when there are such, and no others
 */
export async function grantMissing(access: PayloadAccess, needs: readonly AccessNeed[]): Promise<{ readonly isDone: boolean }> {
  const isGranted = ({ node, readable }: AccessNeed): boolean => access.isGranted(node, readable)
  const missing = needs.filter((need) => !isGranted(need))
  return forEnough(missing, { atOnce: IN_FLIGHT, enough: GRANTED_AT_ONCE, hasComeAbout: isGranted }, ({ node, readable }) =>
    access.restore(node, readable),
  )
}
