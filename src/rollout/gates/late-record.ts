import type { GateStatus, HistoryEntry } from '../../protocol/node-pool.ts'
import { isSelected, sizeWhenOpened } from '../exposure/waves.ts'
import { hasLostItsPlace, isEvidence } from '../model/evidence.ts'
import type { Instant } from '../model/instant.ts'
import type { GatePolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { isOfEntry } from './gate-records.ts'

/**
 * The open wave has begun, and what was unavailable before it was not recorded: the status was lost, an older one was restored, or a commit
 * has added the gate. Recorded now, what the target has broken on the first nodes would seem to have been so before. Where every node has
 * the target, there is nobody left to protect.
 */
export function isRecordedLate(
  { name }: GatePolicy,
  { record, state }: { readonly record: GateStatus | undefined; readonly state: PoolState },
): boolean {
  if (record && (record.state !== 'Recording' || record.before)) return false
  const { members, rollout } = state
  const [entry, ...older] = rollout.memory.history
  const ofGate = (rollout.memory.gates ?? []).filter((other) => other.name === name && other.state === 'Passed')
  const passedIn = (tried: HistoryEntry): GateStatus | undefined => ofGate.findLast((other) => isOfEntry(other, tried))
  const passed = entry && passedIn(entry)
  // What earlier tries have broken was let pass, too.
  const tries = older.filter(({ fingerprint }) => fingerprint === rollout.target.fingerprint)
  const tells = passed || tries.some(passedIn) ? isExposedNow : hasTarget
  const isLeft = members.some((member) => member.wave !== undefined && member.changes && !hasTarget(member))
  // Some nodes of a wave may have the target before it opens: what they have broken was let pass.
  const since = passed ? Date.parse(passed.askedAt ?? passed.since) : Number.NEGATIVE_INFINITY
  return isLeft && hasBegunSince(since, { state, tells }) && !fitsBefore(state, tells)
}

/** Whether what a member has may have broken what the record is to show. */
type Tells = (member: Member) => boolean

const isExposedNow: Tells = ({ isExposed }) => isExposed

/** From this try of it, or from an earlier one that did not complete. */
const hasTarget: Tells = ({ isExposed, wasTried }) => isExposed || wasTried

/**
 * The waves before have places for all that were assigned the target: a pool that has shrunk since moves its nodes to later waves. One that was
 * down, and was tried in vain, has given its place away.
 */
function fitsBefore({ members, waves, open, divided, rollout, clock }: PoolState, tells: Tells): boolean {
  const opened = { total: divided, sizes: rollout.memory.wave?.sizes }
  const before = waves.slice(0, open)
  const places = before.reduce((sum, wave) => sum + ('matchLabels' in wave.nodes ? 0 : sizeWhenOpened(wave, opened)), 0)
  const takesPlace = (member: Member): boolean =>
    member.wave !== undefined &&
    tells(member) &&
    !before.some((wave) => isSelected(member.node, wave)) &&
    (isEvidence(member, clock) || !hasLostItsPlace(member, clock))
  return members.filter(takesPlace).length <= places
}

/** Some node of the open wave was assigned the target. */
export function isExposedInWave(state: PoolState): boolean {
  return hasBegunSince(Number.NEGATIVE_INFINITY, { state, tells: isExposedNow })
}

function hasBegunSince(
  since: Instant,
  { state: { members, open }, tells }: { readonly state: PoolState; readonly tells: Tells },
): boolean {
  return members.some((member) => member.wave === open && tells(member) && (member.node.assigned?.at ?? since) >= since)
}
