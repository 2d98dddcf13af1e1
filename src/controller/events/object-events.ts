import { KubeError } from '../../kube/kube-api.ts'
import type { Decision, PoolEvent } from '../../rollout/model/decision.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import type { Executed } from '../execution/execute.ts'
import type { HeadState } from '../revisions/head-intake.ts'
import type { AcceptedHead } from '../snapshot/gather.ts'
import type { ObjectEvent } from './event-recorder.ts'

export interface PassOutcome {
  readonly nodes: ReadonlyMap<string, ClusterNode>
  readonly head: AcceptedHead
  readonly decisions: ReadonlyMap<string, Decision>
  readonly executed: ReadonlyMap<string, Executed>
  /** By pool, what kept it from being decided upon, or its decision from being carried out. */
  readonly refused: ReadonlyMap<string, unknown>
  readonly pools: ReadonlyMap<string, NodePoolView>
}

/** Everything that people should find at the objects concerned after a pass. */
export function objectEvents({ nodes, ...outcome }: PassOutcome): ObjectEvent[] {
  return [...eventsOfPools(outcome), ...[...nodes.values()].flatMap(agentFailure)]
}

/** What keeps the first commit from being taken. No pool is there yet to say so; the controller's own namespace is. */
export function firstCommitEvents({ problem, trouble }: HeadState, namespace: string): ObjectEvent[] {
  const object = { kind: 'Namespace', name: namespace } as const
  return [
    ...warning(object, { reason: 'InvalidRepository', message: problem }),
    ...warning(object, { reason: 'RepositoryUnreachable', message: trouble }),
  ]
}

/** What an agent could not do, on its Node: a rollback may already have moved the pool on. */
function agentFailure({ name, view: { status } }: ClusterNode): ObjectEvent[] {
  if (status?.phase !== 'RolledBack' && status?.phase !== 'Failed') return []
  return warning(nodeObject(name), { reason: status.error?.reason ?? status.phase, message: status.error?.message })
}

function eventsOfPools({ head, decisions, executed, refused, pools }: Omit<PassOutcome, 'nodes'>): ObjectEvent[] {
  const objectOf = (pool: string) => ({ kind: 'NodePool', name: pool, uid: pools.get(pool)?.uid ?? '' }) as const
  const decided = [...decisions].flatMap(([pool, { events }]): ObjectEvent[] => {
    const object = objectOf(pool)
    const unassigned = executed.get(pool)?.refused ?? []
    return [
      ...events.map((event) => ({
        ...textOf(event),
        object: event.on.kind === 'node' ? nodeObject(event.on.name) : object,
      })),
      ...unassigned.flatMap(({ node, message }) => warning(nodeObject(node), { reason: 'AssignmentRefused', message })),
      ...warning(object, { reason: 'InvalidRepository', message: head.problem }),
      ...warning(object, { reason: 'CommitNeedsPromotion', message: head.held }),
      ...warning(object, { reason: 'RepositoryUnreachable', message: head.trouble }),
    ]
  })
  const failed = [...refused].flatMap(([pool, error]) =>
    warning(objectOf(pool), { reason: 'ActionRefused', message: refusalText(error) }),
  )
  return [...decided, ...failed]
}

/** A conflict is no news: it is decided anew at once. */
function refusalText(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error instanceof KubeError && error.reaction === 'conflict')) return undefined
  return error.message
}

function warning(
  object: ObjectEvent['object'],
  { reason, message }: { readonly reason: string; readonly message: string | undefined },
): ObjectEvent[] {
  return message === undefined ? [] : [{ object, type: 'Warning', reason, message }]
}

function textOf({ type, reason, message }: PoolEvent): Pick<ObjectEvent, 'type' | 'reason' | 'message'> {
  return { type, reason, message }
}

function nodeObject(name: string): ObjectEvent['object'] {
  return { kind: 'Node', name }
}
