import { KubeError } from '../../kube/kube-api.ts'
import type { Decision, Notice } from '../../rollout/model/decision.ts'
import type { NodePoolView } from '../cache/node-pool-view.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import type { Executed } from '../execution/execute.ts'
import type { HeadState } from '../revisions/head-intake.ts'
import type { AcceptedHead } from '../snapshot/gather.ts'
import type { Telling } from './event-recorder.ts'

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
export function tellingsOf({ nodes, ...outcome }: PassOutcome): Telling[] {
  return [...poolTellings(outcome), ...[...nodes.values()].flatMap(agentFailure)]
}

/** What keeps the first commit from being taken. No pool is there yet to say so; the controller's own namespace is. */
export function firstCommitTellings({ problem, trouble }: HeadState, namespace: string): Telling[] {
  const object = { kind: 'Namespace', name: namespace } as const
  return [
    ...warning(object, { reason: 'InvalidRepository', message: problem }),
    ...warning(object, { reason: 'RepositoryUnreachable', message: trouble }),
  ]
}

/** What an agent could not do, on its Node: a rollback may already have moved the pool on. */
function agentFailure({ name, view: { status } }: ClusterNode): Telling[] {
  if (status?.phase !== 'RolledBack' && status?.phase !== 'Failed') return []
  return warning(nodeObject(name), { reason: status.error?.reason ?? status.phase, message: status.error?.message })
}

function poolTellings({ head, decisions, executed, refused, pools }: Omit<PassOutcome, 'nodes'>): Telling[] {
  const objectOf = (pool: string) => ({ kind: 'NodePool', name: pool, uid: pools.get(pool)?.uid ?? '' }) as const
  const told = [...decisions].flatMap(([pool, { notices }]): Telling[] => {
    const object = objectOf(pool)
    const unassigned = executed.get(pool)?.refused ?? []
    return [
      ...notices.map((notice) => ({
        ...tellable(notice),
        object: notice.on.kind === 'node' ? nodeObject(notice.on.name) : object,
      })),
      ...unassigned.flatMap(({ node, message }) => warning(nodeObject(node), { reason: 'AssignmentRefused', message })),
      ...warning(object, { reason: 'InvalidRepository', message: head.problem }),
      ...warning(object, { reason: 'HeldForPromotion', message: head.held }),
      ...warning(object, { reason: 'RepositoryUnreachable', message: head.trouble }),
    ]
  })
  const failed = [...refused].flatMap(([pool, error]) =>
    warning(objectOf(pool), { reason: 'ActionRefused', message: refusalText(error) }),
  )
  return [...told, ...failed]
}

/** A conflict is no news: it is decided anew at once. */
function refusalText(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error instanceof KubeError && error.reaction === 'conflict')) return undefined
  return error.message
}

function warning(
  object: Telling['object'],
  { reason, message }: { readonly reason: string; readonly message: string | undefined },
): Telling[] {
  return message === undefined ? [] : [{ object, type: 'Warning', reason, message }]
}

function tellable({ type, reason, message }: Notice): Pick<Telling, 'type' | 'reason' | 'message'> {
  return { type, reason, message }
}

function nodeObject(name: string): Telling['object'] {
  return { kind: 'Node', name }
}
