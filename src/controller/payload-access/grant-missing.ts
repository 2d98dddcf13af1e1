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
 * Nodes that were assigned before this controller wrote Roles, or whose Role somebody deleted, get it here.
 * @returns whether that was all
 */
export async function grantMissing(
  access: PayloadAccess | undefined,
  needs: readonly AccessNeed[],
): Promise<{ readonly isDone: boolean }> {
  if (!access) return { isDone: true }
  const missing = needs.filter(({ node, readable }) => !access.isGranted(node, readable))
  const work = ({ node, readable }: AccessNeed) => access.ensure(node, readable)
  const failed = await forEach(missing.slice(0, GRANTED_AT_ONCE), { atOnce: IN_FLIGHT }, work)
  throwFirst([...failed.values()])
  return { isDone: missing.length <= GRANTED_AT_ONCE }
}
