import { isReplayed } from '../model/agent-report.ts'
import { stamp } from '../model/instant.ts'
import type { Member } from '../model/pool-state.ts'
import { listNames } from '../model/text.ts'

/** Nodes whose assignment is older than one that their agents had accepted before etcd was restored. Nobody has to do anything about it. */
export function describeRefusals(members: readonly Member[]): string {
  const refusing = members.filter(
    ({ report, assigned, progress }) => assigned && progress.phase === 'Waiting' && isReplayed(report),
  )
  const ends = refusing.flatMap(({ progress }) => progress.until ?? [])
  if (ends.length === 0) return ''
  const names = listNames(refusing.map(({ node }) => node.name).sort())
  const told = `${names}: the assignment is older than one that the agent accepted before`
  return `; ${told}; assigned again until ${stamp(Math.max(...ends))}`
}
