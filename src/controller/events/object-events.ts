import { KubeError } from '../../kube/kube-api.ts'
import type { Decision, PoolEvent } from '../../rollout/model/decision.ts'
import { unreadText } from '../../rollout/status/unread-status.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { AcceptedHead, HeadState } from '../revisions/head-intake.ts'
import { isNodePart, isPoolPart, type Refusal, writtenObject } from '../writes/write-failures.ts'
import type { ObjectEvent } from './event-recorder.ts'

export interface PassOutcome {
  /** What agents could not do, and the like. */
  readonly ofNodes: readonly ObjectEvent[]
  readonly head: AcceptedHead
  /** Pools that could not be decided upon, and why. */
  readonly undecided: ReadonlyMap<string, unknown>
  /** What the server refuses to write. */
  readonly refusals: readonly Refusal[]
  readonly pools: ReadonlyMap<string, NodePoolView>
}

/** Everything that people should find at the objects concerned after a pass, for as long as it is so. */
export function objectEvents({ ofNodes, ...outcome }: PassOutcome): ObjectEvent[] {
  return [...eventsOfPools(outcome), ...eventsOfRefusals(outcome), ...ofNodes]
}

/** What is new with a decision, once its status has been written: what was not written has not happened. */
export function eventsOfDecision({ events }: Decision, pool: ObjectEvent['object']): ObjectEvent[] {
  return events.map((event) => ({ ...textOf(event), object: event.on.kind === 'node' ? nodeObject(event.on.name) : pool }))
}

const UNDONE = {
  edit: {
    reason: 'SpecRestored',
    message: 'the spec was edited in the cluster and has been restored from the repository: change it there',
  },
  deletion: {
    reason: 'NodePoolRestored',
    message:
      'it was deleted in the cluster and has been created again, without its history, but with a pause or a rollback by an operator: to remove the pool, remove it from the repository',
  },
} as const

/** Somebody edited or deleted a NodePool by hand. */
export function poolRestored(pool: ObjectEvent['object'], undone: keyof typeof UNDONE): ObjectEvent {
  return { object: pool, type: 'Warning', ...UNDONE[undone] }
}

/** What keeps a commit from being taken. No pool may be there to say so; the controller's own namespace is. */
export function firstCommitEvents({ lost, problem, untrusted, held, trouble }: HeadState, namespace: string): ObjectEvent[] {
  const object = { kind: 'Namespace', name: namespace } as const
  return [
    ...warning(object, { reason: 'RepositoryUnread', message: lost && unreadText(lost) }),
    ...warning(object, { reason: 'InvalidRepository', message: problem }),
    ...warning(object, { reason: 'UntrustedCommit', message: untrusted }),
    ...warning(object, { reason: 'CommitNeedsPromotion', message: held }),
    ...warning(object, { reason: 'RepositoryUnreachable', message: trouble }),
  ]
}

function eventsOfPools({ head, undecided, pools }: Omit<PassOutcome, 'ofNodes'>): ObjectEvent[] {
  const ofHead = [...head.fleet.pools.keys()].flatMap((pool) => {
    const object = poolObject(pool, pools)
    return [
      ...warning(object, { reason: 'InvalidRepository', message: head.problem }),
      ...warning(object, { reason: 'UntrustedCommit', message: head.untrusted }),
      ...warning(object, { reason: 'CommitNeedsPromotion', message: head.held }),
      ...warning(object, { reason: 'RepositoryUnreachable', message: head.trouble }),
    ]
  })
  const failed = [...undecided].flatMap(([pool, error]) =>
    warning(poolObject(pool, pools), { reason: 'ActionRefused', message: refusalText(error) }),
  )
  return [...ofHead, ...failed]
}

const REFUSED = {
  node: 'AssignmentRefused',
  cordon: 'AssignmentRefused',
  signature: 'AssignmentRefused',
  settings: 'SettingsRefused',
  label: 'SettingsRefused',
} as const

/** A NodePool that cannot be created is not there to say so. */
function eventsOfRefusals({ head, refusals, pools }: Pick<PassOutcome, 'head' | 'refusals' | 'pools'>): ObjectEvent[] {
  return refusals.flatMap(({ object, about, message }) => {
    const { kind, name } = writtenObject(object)
    if (isNodePart(kind)) return warning(nodeObject(name), { reason: REFUSED[kind], message })
    const pool = isPoolPart(kind) ? name : about
    return pools.has(pool) || head.fleet.pools.has(pool)
      ? warning(poolObject(pool, pools), { reason: 'ActionRefused', message })
      : []
  })
}

function poolObject(name: string, pools: PassOutcome['pools']): ObjectEvent['object'] {
  return { kind: 'NodePool', name, uid: pools.get(name)?.uid ?? '' }
}

/** A conflict is no news: the next pass decides again at once. */
function refusalText(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error instanceof KubeError && error.reaction === 'conflict')) return undefined
  return error.message
}

export function warning(
  object: ObjectEvent['object'],
  { reason, message }: { readonly reason: string; readonly message: string | undefined },
): ObjectEvent[] {
  return message === undefined ? [] : [{ object, type: 'Warning', reason, message }]
}

function textOf({ type, reason, message }: PoolEvent): Pick<ObjectEvent, 'type' | 'reason' | 'message'> {
  return { type, reason, message }
}

export function nodeObject(name: string): ObjectEvent['object'] {
  return { kind: 'Node', name }
}
