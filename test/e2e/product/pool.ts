/** The pool of the tests as the API server shows it, and waiting for what it is to say. */
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'

export interface PoolWait {
  /** What is waited for; the error has it, and what the pool said instead. */
  readonly for: string
  readonly when: (status: NodePoolStatus) => boolean
  /** Default: workers. */
  readonly pool?: string
  /** More patience than usual, for machines that are emulated. */
  readonly timeoutMs?: number
}

/** The status as it is once `when` holds. */
export async function waitPool(
  cluster: Cluster,
  { for: what, when, pool = 'workers', ...patience }: PoolWait,
): Promise<NodePoolStatus> {
  let last: NodePoolStatus | undefined
  const look = async () => {
    last = (await cluster.api.ask<{ status?: NodePoolStatus }>(`/apis/nodewave.io/v1alpha1/nodepools/${pool}`)).status
    return last !== undefined && when(last) && last
  }
  return waitUntil(look, { for: `pool "${pool}": ${what}`, ...patience }).catch((cause: Error) => {
    throw new Error(`${cause.message}; it says ${JSON.stringify(last?.conditions)}`, { cause })
  })
}

/** The pool is Ready, and every node has what the commit says; one that changes nothing need not become a target of its own. */
export function completed(commit: string): (status: NodePoolStatus) => boolean {
  return ({ observedRevision, stable, target, nodes, conditions }) =>
    observedRevision === commit &&
    stable?.fingerprint === target?.fingerprint &&
    nodes.current === nodes.total &&
    nodes.total > 0 &&
    holds(conditions, 'Ready')
}

/** The commit failed, the pool says so, and all its nodes are well on what they had before. */
export function rolledBack(commit: string): (status: NodePoolStatus) => boolean {
  return ({ rejected, nodes, conditions }) =>
    rejected.some(({ revision }) => revision === commit) && nodes.current === nodes.total && holds(conditions, 'Stalled')
}

/** Why the pool is stalled, in its own words; empty when it is not. */
export function stallOf({ conditions }: NodePoolStatus): string {
  const stalled = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True')
  return stalled === undefined ? '' : `${stalled.reason}: ${stalled.message}`
}

function holds(conditions: NodePoolStatus['conditions'], wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True')
}
