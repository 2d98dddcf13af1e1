import type { Assignment } from '../../../src/rollout/model/node-view.ts'

const stamps = new WeakMap<Assignment, string>()

/** How an agent names the assignment that it speaks of. Asked at each step of each node. */
export function stampOf(assigned: Assignment): string {
  const known = stamps.get(assigned)
  if (known !== undefined) return known
  const stamp = new Date(assigned.at ?? 0).toISOString()
  stamps.set(assigned, stamp)
  return stamp
}
