import type { GateStatus, HistoryEntry } from '../../protocol/node-pool.ts'
import type { Instant } from '../model/instant.ts'
import type { GatePolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isAssigned, isInRollout } from '../model/wanted-assignment.ts'
import { isRecordOf, recorded } from './gate-records.ts'

/**
 * What was noted of workloads before a commit that has not completed counts for the next one, too: noted again, what the first one broke would
 * seem to have been so before. A retry is asked the same again, and so is a wave that a commit puts in the place of another one. Another commit
 * has to take its place on all nodes in the open waves, or what it repairs would still be broken when its gate is asked.
 */
export function notedBefore(gate: GatePolicy, state: PoolState): Pick<GateStatus, 'before' | 'recordedAt'> | undefined {
  const { history, gates = [] } = state.rollout.memory
  const last = gates.findLast((record) => record.before && isRecordOf(record, gate) && runOf(record, history))
  const run = last && runOf(last, history)
  if (!run || run.result === 'Completed') return undefined
  const isSame = run.fingerprint === state.rollout.target.fingerprint
  const since = Math.min(Date.parse(run.startedAt), Date.parse(last.recordedAt ?? run.startedAt))
  const runs = history.slice(1, history.indexOf(run) + 1)
  return isSame || isReplaced(since, { runs, state }) ? recorded(last) : undefined
}

function runOf({ revision, rollout }: GateStatus, runs: readonly HistoryEntry[]): HistoryEntry | undefined {
  return runs.find((run) => run.startedAt === rollout && run.revision === revision)
}

/**
 * None of these runs completed, and the open waves have every node that was given something else than the stable content since the record was
 * made: it may be older than these runs, and was kept from one to the next.
 */
function isReplaced(
  since: Instant,
  { runs, state }: { readonly runs: readonly HistoryEntry[]; readonly state: PoolState },
): boolean {
  const { members, open, pool, rollout } = state
  if (runs.some(({ result }) => result === 'Completed')) return false
  const isLeft = ({ node, wave }: Member): boolean => {
    const { assigned, leaving } = node
    if (assigned?.pool !== pool.name || leaving || !isInRollout(assigned, { rolloutStart: since })) return false
    return (wave === undefined || wave > open) && !isAssigned(node, rollout.stable?.wanted.get(node.name))
  }
  return !members.some(isLeft)
}
