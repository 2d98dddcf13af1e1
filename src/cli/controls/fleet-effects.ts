import type { NodePoolStatus, PoolReason } from '../../protocol/node-pool.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import type { Effect } from './await-records.ts'

type Status = Partial<NodePoolStatus>

/** What a pool says of a commit that waits for its promotion, or that was promoted and cannot be kept yet. */
const NOT_ACCEPTED: readonly PoolReason[] = ['CommitNeedsPromotion', 'InvalidRepository']

/** The pool no longer says that the commit is not accepted: a pool keeps no record of what was asked of the fleet. */
export function accepted(revision: string): (status: Status) => Effect | undefined {
  return (status) => {
    if (status.observedRevision !== revision) return superseded(status)
    const waits = status.conditions?.some(({ reason }) => NOT_ACCEPTED.includes(reason)) === true
    return waits ? undefined : { ok: true, message: `${shortRevision(revision, 7)} is accepted` }
  }
}

/** The pool remembers that failures elsewhere do not stop the commit. */
export function continued(revision: string): (status: Status) => Effect | undefined {
  return (status) => {
    if (status.fleetRetry?.value === revision) return { ok: true, message: `${shortRevision(revision, 7)} continues` }
    return status.observedRevision === revision ? undefined : superseded(status)
  }
}

/** Of what is asked of a commit that is not the newest one any more. */
export function superseded({ observedRevision = '' }: Status): Effect {
  const name = shortRevision(observedRevision, 7)
  return { ok: false, message: `${name} came meanwhile; check what it waits for with: nodewave status` }
}
