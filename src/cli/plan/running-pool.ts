import type { RevisionRef } from '../../protocol/node-pool.ts'
import { commitOf, shortRevision } from '../../protocol/revision-id.ts'
import { poolFingerprint } from '../../render/pool-fingerprint.ts'
import type { FleetModel } from '../../repo/model.ts'
import { secretUses } from '../../repo/secret-ref.ts'
import { nameList } from '../paint.ts'
import { printable } from '../printable.ts'
import { controlLines, heldLines } from '../status/control-lines.ts'
import type { PoolStatusView } from '../status/pool-view.ts'
import { type AssignedNodes, assignedNotes } from './assigned-nodes.ts'

/** What a pool of the cluster runs, and what the plan would meet there. */
export interface RunningPool {
  /** Commit ids, in full; absent: none yet. */
  readonly target?: string
  readonly stable?: string
  /** Of the condition Ready. */
  readonly reason?: string
  /** Nodes that do not have what the commit before the plan says; absent: there is no commit before it. */
  readonly assigned?: AssignedNodes
  /** The same in words. */
  readonly text: string
  /** The operator action without which the pool does not begin with the planned content. */
  readonly needs?: 'retry' | 'resume'
  /** In words: what a push of the plan meets in the pool. */
  readonly notes: readonly string[]
}

export interface PlannedEnds {
  /** Undefined: no commit yet. */
  readonly before: FleetModel | undefined
  readonly model: FleetModel
  /** What people call the commit of `before`. */
  readonly from: string
}

/** What a cluster says of a pool. */
export interface InCluster {
  /** Undefined: there is none. */
  readonly pool?: PoolStatusView | undefined
  readonly assigned?: AssignedNodes | undefined
}

/** Pure. */
export function runningPool(name: string, { pool, assigned }: InCluster, ends: PlannedEnds): RunningPool {
  const { target, stable, conditions = [] } = pool?.status ?? {}
  if (pool === undefined || target === undefined) return { text: 'no commit yet', notes: [] }
  const reason = conditions.find(({ type }) => type === 'Ready')?.reason
  const needs = actionNeeded(pool, fingerprintOf(ends.model, name))
  const last = stable === undefined ? '; no commit is completed yet' : `; stable: ${refText(stable)}`
  return {
    target: target.revision,
    ...(stable && { stable: stable.revision }),
    ...(reason && { reason }),
    ...(assigned && { assigned }),
    ...(needs && { needs }),
    text: printable(
      `${refText(target)}${reason === undefined ? '' : `: ${reason}`}${stable?.fingerprint === target.fingerprint ? '' : last}`,
    ),
    notes: [
      ...controlLines(pool, ''),
      ...heldLines(pool),
      ...rejectedLines(pool),
      ...contentNotes(name, pool, ends),
      ...(assigned ? assignedNotes(assigned, ends.from) : []),
    ].map(printable),
  }
}

/** A rollback ends only by resume, whatever else has failed. */
function actionNeeded(
  { status: { rejected = [], rollback } }: PoolStatusView,
  planned: string | undefined,
): RunningPool['needs'] {
  if (planned === undefined || planned === SEALED) return undefined
  if (rollback?.from.fingerprint === planned) return 'resume'
  return rejected.some(({ fingerprint }) => fingerprint === planned) ? 'retry' : undefined
}

function rejectedLines({ status: { rejected = [] } }: PoolStatusView): string[] {
  return rejected.length === 0 ? [] : [`failed in this pool: ${nameList(rejected.map(refText))}`]
}

/** What follows from the content of both ends; a secret has another digest here than in the cluster. */
function contentNotes(name: string, { status }: PoolStatusView, { before, model, from }: PlannedEnds): string[] {
  const { target, rejected = [], rollback } = status
  const [planned, old] = [fingerprintOf(model, name), fingerprintOf(before, name)]
  if (planned === SEALED || old === SEALED) return ['content with secrets is not compared with what the pool runs']
  const failed = rejected.find(({ fingerprint }) => fingerprint === planned)
  return [
    ...(failed
      ? [`the planned content failed here as ${short(failed)}; the pool begins with it only after: nodewave retry ${name}`]
      : []),
    ...(rollback?.from.fingerprint === planned
      ? [
          `the pool was rolled back from the planned content, so a push does not end the rollback; end it: nodewave resume ${name}`,
        ]
      : []),
    ...(target ? differenceNotes(target, { planned, before: old, from }) : []),
  ]
}

interface Contents {
  readonly planned: string | undefined
  readonly before: string | undefined
  readonly from: string
}

function differenceNotes(target: RevisionRef, { planned, before, from }: Contents): string[] {
  if (target.fingerprint === before) return []
  if (target.fingerprint === planned) return [`the pool has the planned content already, not that of ${from}`]
  return [`the pool has other content than ${from}; compare with what it has: --from ${commitOf(target.revision).slice(0, 12)}`]
}

/** @returns undefined where the fleet does not have the pool; sealed where a secret may be in it */
function fingerprintOf(model: FleetModel | undefined, name: string): string | undefined {
  const pool = model?.pools.get(name)
  if (model === undefined || pool === undefined) return undefined
  const { overrides } = model
  const hostProfiles = new Map([...model.hostProfiles].filter(([profile]) => pool.spec.hostProfiles?.includes(profile)))
  return secretUses({ hostProfiles, overrides }).length > 0 ? SEALED : poolFingerprint(model, name)
}

const SEALED = 'sealed'

function refText(ref: RevisionRef): string {
  return `${short(ref)}${ref.subject === undefined ? '' : ` ${ref.subject}`}`
}

function short({ revision }: RevisionRef): string {
  return shortRevision(revision, 12)
}
