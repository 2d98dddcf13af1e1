import type { GateStatus, HistoryEntry, NodePoolStatus } from '../../protocol/node-pool.ts'
import type { PoolEvent } from '../model/decision.ts'
import type { Memory } from '../model/snapshot.ts'
import { describeGate, shortName } from '../model/text.ts'
import { controlEvents } from './control-events.ts'

/** What became of a pool since its last status: reported once, because that status is then replaced. */
export function eventsBetween(before: Memory, after: NodePoolStatus): readonly PoolEvent[] {
  return controlEvents(before, after).concat(
    gateEvents(before, after),
    rolloutEvents(before, after),
    waveEvents(before, after),
    drainEvents(before, after),
    failureEvents(before, after),
  )
}

/** Oldest first, as it happened: one decision may end a rollout and begin the way back. */
function rolloutEvents(before: Memory, { history }: NodePoolStatus): PoolEvent[] {
  if (history === before.history) return []
  const known = new Set(before.history.map(identity))
  return history.flatMap((entry) => (known.has(identity(entry)) ? [] : [rolloutEvent(entry)])).reverse()
}

function identity({ fingerprint, result, endedAt = '' }: HistoryEntry): string {
  return `${fingerprint} ${result} ${endedAt}`
}

const ROLLOUT_EVENTS = {
  Running: { type: 'Normal', reason: 'RolloutStarted' },
  Completed: { type: 'Normal', reason: 'RolloutCompleted' },
  Superseded: { type: 'Normal', reason: 'RolloutSuperseded' },
  Halted: { type: 'Warning', reason: 'RolloutHalted' },
  RolledBack: { type: 'Warning', reason: 'RolledBack' },
} as const

/** What has become of a rollout, or that it began. */
export function rolloutEvent(entry: HistoryEntry): PoolEvent {
  const commit = `${shortName(entry)}${entry.subject ? ` "${entry.subject}"` : ''}`
  return {
    on: { kind: 'pool' },
    ...ROLLOUT_EVENTS[entry.result],
    message: entry.message ? `${commit} failed on ${entry.message}` : commit,
  }
}

function waveEvents({ wave: before }: Memory, { wave, target }: NodePoolStatus): PoolEvent[] {
  if (!wave || !target || wave.index === (before?.index ?? 1)) return []
  const message = `wave ${wave.index} of ${wave.count}, "${wave.name}", of ${shortName(target)}`
  return [{ on: { kind: 'pool' }, type: 'Normal', reason: 'WaveOpened', message }]
}

/** When it begins to block: which pod it is may change while it does. */
function drainEvents(before: Memory, after: NodePoolStatus): PoolEvent[] {
  const blocked = blockage(after)
  if (blocked === undefined || blockage(before) !== undefined) return []
  return [{ on: { kind: 'pool' }, type: 'Warning', reason: 'DrainBlocked', message: blocked.message }]
}

function blockage({ conditions }: Pick<Memory, 'conditions'>) {
  return conditions.find(({ type, status, reason }) => type === 'Stalled' && status === 'True' && reason === 'DrainBlocked')
}

function failureEvents({ failed: before }: Memory, { failed }: NodePoolStatus): PoolEvent[] {
  if (failed.length === 0) return []
  const known = new Set(before.map(({ node, reason }) => `${node} ${reason}`))
  return failed
    .filter(({ node, reason }) => !known.has(`${node} ${reason}`))
    .map(({ node, reason, message }) => ({ on: { kind: 'node', name: node }, type: 'Warning', reason, message }))
}

/** Before what comes of it. */
function gateEvents({ gates: before = [] }: Memory, { gates = [] }: NodePoolStatus): PoolEvent[] {
  if (gates === before || gates.length === 0) return []
  const known = new Set(before.map(gateIdentity))
  return gates
    .filter((record) => (record.state === 'Passed' || record.state === 'Failed') && !known.has(gateIdentity(record)))
    .map((record) => ({
      on: { kind: 'pool' },
      ...GATE_EVENTS[record.state === 'Passed' ? 'Passed' : 'Failed'],
      message: gateMessage(record),
    }))
}

function gateIdentity({ rollout, wave, name, state }: GateStatus): string {
  return `${rollout} ${wave} ${name} ${state}`
}

const GATE_EVENTS = {
  Passed: { type: 'Normal', reason: 'GatePassed' },
  Failed: { type: 'Warning', reason: 'GateFailed' },
} as const

function gateMessage(record: GateStatus): string {
  return `${record.revision.slice(0, 7)}: ${describeGate(record)}`
}
