import type { ControlRecord, NodePoolStatus, OperatorAction } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import { isSameData } from '../../protocol/same-data.ts'
import type { PoolEvent } from '../model/decision.ts'
import type { Memory } from '../model/snapshot.ts'

export const OPERATOR_EVENTS: Readonly<Record<OperatorAction, string>> = {
  Pause: 'Paused',
  Resume: 'Resumed',
  PauseFleet: 'FleetPaused',
  ResumeFleet: 'FleetResumed',
  Promote: 'Promoted',
  Retry: 'Retried',
  Rollback: 'RollbackAsked',
  EndRollback: 'RollbackEnded',
  Hold: 'Held',
  Release: 'Released',
  Reconcile: 'ReconcileAsked',
  Reboot: 'RebootAsked',
}

/** What people did since the last status, oldest first: on the pool, or on each node concerned. */
export function controlEvents({ controls: before }: Memory, { controls }: NodePoolStatus): PoolEvent[] {
  if (controls === before) return []
  return controls.flatMap((record) => newPartOf(record, before).flatMap(eventsOf)).reverse()
}

/** Another node of the same command joins the entry of the first. */
function newPartOf(record: ControlRecord, before: readonly ControlRecord[]): readonly ControlRecord[] {
  if (before.includes(record)) return []
  const known = before
    .filter(({ at }) => at === record.at)
    .filter((other) => isSameData({ ...other, nodes: [] }, { ...record, nodes: [] }))
  if (known.length === 0) return [record]
  const told = new Set(known.flatMap(({ nodes = [] }) => nodes))
  const added = record.nodes?.filter((node) => !told.has(node)) ?? []
  return added.length === 0 ? [] : [{ ...record, nodes: added }]
}

function eventsOf(record: ControlRecord): PoolEvent[] {
  const { action, nodes, outcome, value, who = 'somebody', at } = record
  const type = outcome === 'Refused' ? 'Warning' : 'Normal'
  const message = `${who} at ${at}${value === undefined ? '' : `: ${shown(value)}`}; ${record.message}`
  const about = { type, reason: outcome === 'Refused' ? `${action}Refused` : OPERATOR_EVENTS[action], message } as const
  if (!nodes) return [{ on: { kind: 'pool' }, ...about }]
  return nodes.map((name) => ({ on: { kind: 'node', name }, ...about }))
}

/** A commit is short, as everywhere; a reason, or what somebody typed for a commit, stands as it is. */
function shown(value: string): string {
  return A_REVISION.test(value) ? shortRevision(value, 7) : value.slice(0, 200)
}

const A_REVISION = /^[0-9a-f]{40,64}(?:\+[0-9a-f]+)*$/
