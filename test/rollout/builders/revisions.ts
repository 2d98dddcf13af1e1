import type { HistoryEntry, RevisionRef } from '../../../src/protocol/node-pool.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { NodeTarget, Revision } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon, stamp } from './instants.ts'

export function aRef(content: string): RevisionRef {
  return { revision: content, fingerprint: `of ${content}` }
}

export function aRevision(content: string, members: readonly { readonly name: string }[]): Revision {
  return { ...aRef(content), wanted: new Map(members.map(({ name }) => [name, wantedConfig({ digest: content })])) }
}

export function wantedConfig(config: Partial<Extract<NodeTarget, { kind: 'config' }>> & { readonly digest: string }): NodeTarget {
  return { kind: 'config', disruption: 'restart', ...config }
}

export function aRollout(
  content: string,
  {
    result = 'Running',
    startedAt = noon - hour,
  }: { readonly result?: HistoryEntry['result']; readonly startedAt?: Instant } = {},
): HistoryEntry {
  const ended = result === 'Running' ? {} : { endedAt: stamp(startedAt + minute) }
  return { ...aRef(content), startedAt: stamp(startedAt), ...ended, result }
}
