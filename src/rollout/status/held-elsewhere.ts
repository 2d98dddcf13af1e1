import type { Assignment } from '../model/node-view.ts'
import type { Member } from '../model/pool-state.ts'
import type { NodeTarget } from '../model/snapshot.ts'
import { listNames } from '../model/text.ts'

/** Nobody takes them back: they run what was rolled back from, or something older. */
export function heldElsewhere(members: readonly Member[]): string {
  const names = members
    .filter(({ node, wanted, progress }) => progress.phase === 'Held' && node.assigned && !isAssigned(node.assigned, wanted))
    .map(({ node }) => node.name)
  return names.length === 0 ? '' : `; held on other content: ${listNames(names.sort())}`
}

function isAssigned({ digest }: Assignment, wanted: NodeTarget): boolean {
  return wanted.kind === 'problem' || wanted.digest === digest
}
