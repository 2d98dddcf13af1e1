import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import type { Memory } from '../../../../src/rollout/model/snapshot.ts'
import { contentOf } from './contents.ts'
import type { World } from './world.ts'

export function record(world: World, name: string, before: Memory, after: NodePoolStatus): void {
  const record = world.records.get(name)
  if (!record) return
  const target = contentOf(after.target)
  if (target && contentOf(before.target) !== target) {
    const at = record.completed.indexOf(target)
    if (at >= 0) {
      for (const left of record.completed.splice(at + 1)) {
        record.left.add(left)
        record.spare = left
      }
    }
  }
  for (const { fingerprint } of after.rejected) {
    if (before.rejected.some((other) => other.fingerprint === fingerprint)) continue
    const content = contentOf({ fingerprint })
    if (!content) continue
    record.rejected.add(content)
    record.completed = record.completed.filter((other) => other !== content)
  }
  const [top] = after.history
  if (
    top?.result === 'Completed' &&
    (before.history[0]?.result !== 'Completed' ||
      before.history[0].startedAt !== top.startedAt ||
      before.history[0].fingerprint !== top.fingerprint)
  ) {
    const content = contentOf(top)
    if (!content) return
    record.completed = [...record.completed.filter((other) => other !== content), content]
    record.left.delete(content)
    record.spare = undefined
  }
}
