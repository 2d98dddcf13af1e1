import type { RevisionRef } from '../../../../src/protocol/node-pool.ts'
import { isUnderDrain } from '../../../../src/rollout/model/cordon.ts'
import type { Decision } from '../../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../../src/rollout/model/instant.ts'
import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import type { Share } from '../../../../src/rollout/model/policy.ts'
import type { PoolSnapshot } from '../../../../src/rollout/model/snapshot.ts'
import type { Observed } from '../controller.ts'
import { stampOf } from '../stamp.ts'

/** One pool of a decision. */
export interface Decided {
  readonly at: Instant
  readonly pool: PoolSnapshot
  readonly decision: Decision
}

/** A node that is to be assigned something. */
export interface Step {
  readonly node: NodeView
  readonly digest: string
  /** It reboots with it. */
  readonly reboots: boolean
}

/** Some twenty invariants ask the same of each decision. */
function oncePer<In extends object, Out>(work: (of: In) => Out): (of: In) => Out {
  const known = new WeakMap<In, { readonly out: Out }>()
  return (of) => {
    const found = known.get(of)
    if (found) return found.out
    const out = work(of)
    known.set(of, { out })
    return out
  }
}

export const decidedPools = oncePer(({ fleet, decisions, at }: Observed): readonly Decided[] =>
  fleet.pools.map((pool) => {
    const decision = decisions.get(pool.name)
    if (!decision) throw new Error(`pool "${pool.name}" has no decision`)
    return { at, pool, decision }
  }),
)

const NO_STEPS: readonly Step[] = []

/** Two decisions of three do nothing. */
function oncePerDecision(work: (decided: Decided) => readonly Step[]): (decided: Decided) => readonly Step[] {
  const known = oncePer(work)
  return (decided) => (decided.decision.actions.length === 0 ? NO_STEPS : known(decided))
}

export const stepsOf = oncePerDecision(({ pool, decision }) => {
  const steps: Step[] = []
  for (const action of decision.actions) {
    const node = action.kind === 'assign' ? pool.nodes.find(({ name }) => name === action.node) : undefined
    if (node && action.kind === 'assign') steps.push({ node, digest: action.digest, reboots: action.reboot !== undefined })
  }
  return steps
})

/** Told again here, or a mistake in the rule itself would go unseen. */
export function isDown(node: NodeView): boolean {
  return (
    !node.ready || node.unschedulable || isUnproved(node) || (node.assigned !== undefined && !hasEnded(node) && !isBlocked(node))
  )
}

/** Its agent is done, and a pod has not run on it yet, or cannot. */
function isUnproved(node: NodeView): boolean {
  const { proof, assigned, status } = node
  if (!proof || proof.state === 'Passed' || !hasEnded(node) || status?.phase !== 'Applied') return false
  return proof.digest === assigned?.digest && proof.assignedAt === assigned.at
}

/** It waits for a greater grant, and nothing on it is disturbed until then. */
export function isBlocked({ assigned, status }: NodeView): boolean {
  if (assigned === undefined || status?.phase !== 'Blocked') return false
  return assigned.grant !== 'drain' && status.assignedAt === stampOf(assigned)
}

export function hasEnded({ assigned, status }: NodeView): boolean {
  if (!assigned || !status || status.assigned !== assigned.digest) return false
  const speaksOfIt = status.assignedAt === stampOf(assigned)
  return speaksOfIt && (status.phase === 'Applied' || status.phase === 'RolledBack')
}

/** Nodes that join a pool with something proven to give them are outside the budget, and so are those that nothing disturbs. */
export const newlyDown = oncePerDecision((decided) => {
  const cordons = cordonsOf(decided).filter(({ node }) => !isDown(node))
  const assigned = stepsOf(decided).filter(
    ({ node, digest, reboots }) =>
      !isDown(node) && !isJoining(node, decided) && (reboots || !(hasEnded(node) && node.status?.active === digest)),
  )
  return [...cordons, ...assigned]
})

/** It serves nobody yet, and there is something proven to give it: told again here. */
export function isJoining(node: NodeView, { at, pool, decision }: Decided): boolean {
  return node.assigned === undefined && isRendered(decision.status.stable, pool) && isYoung(node, { at, pool, decision })
}

/** Somebody may have deleted the ConfigMap of its commit. */
export function isRendered(ref: RevisionRef | undefined, { head, known }: PoolSnapshot): boolean {
  return ref !== undefined && (ref.fingerprint === head.fingerprint || known.has(ref.revision))
}

export function isYoung(node: NodeView, { at, pool, decision }: Decided): boolean {
  const wasNeverReady = !node.ready && node.readySince - node.createdAt <= 60_000
  const began = Date.parse(decision.status.history[0]?.startedAt ?? '') || at
  return wasNeverReady || (node.createdAt + 1000 > began && at < node.createdAt + pool.policy.applyTimeout)
}

/** Nodes that are cordoned, and what for. */
export const cordonsOf = oncePerDecision(({ pool, decision }) => {
  const cordons: Step[] = []
  for (const action of decision.actions) {
    const node = action.kind === 'cordon' ? pool.nodes.find(({ name }) => name === action.node) : undefined
    if (node && action.kind === 'cordon') cordons.push({ node, digest: action.mark.digest, reboots: false })
  }
  return cordons
})

/** How many nodes may be down; a percentage allows at least one. */
export function allowed(share: Share, total: number): number {
  return 'count' in share ? share.count : Math.max(1, Math.floor((total * share.percent) / 100))
}

/** Its drain for this content goes on. */
export function isBegun(node: NodeView, digest: string): boolean {
  return isUnderDrain(node) && node.mark?.digest === digest
}
