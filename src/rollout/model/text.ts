import type { GateStatus, NodePhase, RevisionRef } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import type { Member, PoolState } from './pool-state.ts'
import type { Memory } from './snapshot.ts'

/** Until a valid commit has been read from the repository. */
export const UNREAD = 'which commit is the newest is not known before a valid one has been read from the repository'

/** `3f2c9ab`, `3f2c9ab+1a2b3c4d`: as people name a revision. */
export function shortName({ revision }: RevisionRef): string {
  return shortRevision(revision, 7)
}

/** What has a commit that was rejected tried again. Without a name, that is the last one. */
export function retryOfCommit(pool: string, { revision }: RevisionRef, { rejected: [last] }: Pick<Memory, 'rejected'>): string {
  return `retry ${pool}${last?.revision === revision ? '' : ` --revision ${shortRevision(revision, 12)}`}`
}

/** What has the nodes that failed at a commit try it once more. Without a name, a commit that was rejected would be tried again. */
export function retryOfNodes(pool: string, { revision }: RevisionRef, { rejected }: Pick<Memory, 'rejected'>): string {
  return `retry ${pool}${rejected.length === 0 ? '' : ` --revision ${shortRevision(revision, 12)}`}`
}

const TOLD_APART = ['Failed', 'Skipped', 'Held', 'Leaving', 'Unreachable', 'Unmanaged'] as const

/** `37 of 40 nodes are at 3f2c9ab; 1 Held, 2 Unreachable` */
export function describeNodes({ members, counts, rollout }: PoolState): string {
  const count = (phase: NodePhase) => counts.byPhase.get(phase) ?? 0
  const others = TOLD_APART.filter((phase) => counts.byPhase.has(phase)).map((phase) => `${count(phase)} ${phase}`)
  const most = `${count('Current')} of ${members.length} nodes are at ${shortName(rollout.target)}`
  return others.length > 0 ? `${most}; ${others.join(', ')}` : most
}

/** So many names are enough to begin with. */
export const NAMES_SHOWN = 3

/** The names with the first few of them in front: what `listNames` shows of thousands, which need not be sorted for that. */
export function firstFirst(names: readonly string[], shown = NAMES_SHOWN): readonly string[] {
  const first = names.slice(0, shown).sort()
  for (let index = shown; index < names.length; index++) {
    const name = names[index] ?? ''
    const last = first.at(-1) ?? ''
    if (name >= last) continue
    first.splice(-1, 1, name)
    first.sort()
  }
  return [...first, ...names.slice(first.length)]
}

/** The first few names, and how many more there are. */
export function listNames(names: readonly string[], shown = NAMES_SHOWN): string {
  const quoted = names.slice(0, shown).map((name) => `"${name}"`)
  return names.length > shown ? `${quoted.join(', ')} and ${names.length - shown} more` : quoted.join(', ')
}

/** What failed where, by name; long stories are cut, they stand in the node's own status. */
export function describeFailures(failures: readonly Member[]): string {
  const told = failures.map(({ node, progress }) => `"${node.name}": ${(progress.failure?.message ?? '').slice(0, 400)}`).sort()
  return told.length > 3 ? `${told.slice(0, 3).join('; ')}; and ${told.length - 3} more` : told.join('; ')
}

/** `gate "slo" after "canary": 0.05 is above 0.01`, of each. */
export function describeGates(gates: readonly { readonly record: GateStatus }[]): string {
  return gates.map(({ record }) => describeGate(record)).join('; ')
}

export function describeGate({ name, wave, state, message = 'not checked yet' }: GateStatus): string {
  return `gate "${name}" ${state === 'Recording' ? 'before' : 'after'} "${wave}": ${message}`
}
