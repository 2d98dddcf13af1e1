import { isDeepStrictEqual } from 'node:util'
import type { ControlRecord, OperatorAction } from '../../protocol/node-pool.ts'
import type { RequestedBy } from '../../protocol/requested-by.ts'
import type { Instant } from '../model/instant.ts'
import { stamp } from '../model/instant.ts'
import type { Memory } from '../model/snapshot.ts'
import type { ControlEffect } from './control-effect.ts'

const KEPT = 10
/** Nodes of one entry. A status is one object, and a command may release thousands. */
const NODES_RECORDED = 200

export interface Recording {
  readonly effect: ControlEffect & Pick<ControlRecord, 'value' | 'nodes'>
  /** As it stands beside the control. */
  readonly by: RequestedBy | undefined
  readonly now: Instant
}

/** The memory with what a person did on top of its list. */
export function recorded(memory: Memory, { effect, by, now }: Recording): Memory {
  const { memory: _, refused = false, message, ...about } = effect
  const record: ControlRecord = {
    ...about,
    ...(isSignedFor(about, by, memory) ? by : { at: stamp(now) }),
    outcome: refused ? 'Refused' : 'Done',
    message,
  }
  return { ...memory, controls: merged(record, memory.controls).slice(0, KEPT) }
}

/** Acts on one annotation, which have its signature in common. */
const ANNOTATION_OF: Readonly<Record<OperatorAction, OperatorAction>> = {
  Pause: 'Pause',
  Resume: 'Pause',
  PauseFleet: 'PauseFleet',
  ResumeFleet: 'PauseFleet',
  Promote: 'Promote',
  Retry: 'Retry',
  Rollback: 'Rollback',
  EndRollback: 'Rollback',
  Hold: 'Hold',
  Release: 'Hold',
  Reconcile: 'Reconcile',
  Reboot: 'Reboot',
}

/** Who signed once, and let others act unsigned on the same annotation later, is not to be taken for them. */
export function isSignedFor(
  { action, nodes = [] }: Pick<ControlRecord, 'action' | 'nodes'>,
  by: RequestedBy | undefined,
  { controls }: Pick<Memory, 'controls'>,
): by is RequestedBy {
  if (by === undefined) return false
  const signed = controls.filter(
    (told) => told.who === by.who && told.at === by.at && ANNOTATION_OF[told.action] === ANNOTATION_OF[action],
  )
  return signed.every(
    (told) => told.action === action && told.nodes !== undefined && !nodes.some((node) => told.nodes?.includes(node)),
  )
}

/** Nodes held or released by one command, or seen so in one pass, make one entry. */
function merged(record: ControlRecord, controls: readonly ControlRecord[]): readonly ControlRecord[] {
  const [top, ...older] = controls
  if (!top?.nodes || !record.nodes) return [record, ...controls]
  const nodes = [...new Set([...top.nodes, ...record.nodes])].slice(0, NODES_RECORDED).sort()
  return isDeepStrictEqual({ ...top, nodes }, { ...record, nodes }) ? [{ ...record, nodes }, ...older] : [record, ...controls]
}
