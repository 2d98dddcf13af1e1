import type { ProofPolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { proofRecord } from '../model/proof.ts'
import { isProven } from '../model/remembered-revision.ts'
import type { Rollout } from '../model/rollout.ts'
import { firstFirst, listNames } from '../model/text.ts'
import { proofImage } from '../proof/image.ts'

/** What keeps a pod from running may never end: it is reported before its time is over. */
export function describeProofs(poolState: PoolState): string {
  const told = poolState.notAtRest.flatMap((member) => waitOf(member, poolState)).sort()
  return told[0] === undefined ? '' : `; ${told[0]}`
}

function waitOf({ node, proof }: Member, { pool: { proofs } }: PoolState): string[] {
  if (proof?.kind !== 'Underway') return []
  if (proof.pod?.message !== undefined) return [`the pod that proves "${node.name}": ${proof.pod.message}`]
  const earlier = proof.pod === undefined && proofs?.kind === 'known' ? proofs.pods.get(node.name) : undefined
  return earlier ? [`the proof of "${node.name}" waits for the pod "${earlier.name}" of an earlier assignment to end`] : []
}

/** Nobody is to believe that pods ran there. */
export function describeUnproved({ members, pool, rollout }: PoolState): string {
  const { proof: policy } = pool.policy
  if (!policy || policy.mode === 'Never' || policy.image !== undefined || wasProven(rollout)) return ''
  const asked = { always: policy.mode === 'Always', since: rollout.startedAt }
  const names: string[] = []
  for (const member of members) if (isDisturbed(member, asked) && isUnproved(member, policy)) names.push(member.node.name)
  if (names.length === 0) return ''
  return `; not proved by a pod, since they report no pause image: ${listNames(firstFirst(names))}; name an image in rollout.proof.pod.image`
}

/** What the pool had completed before this rollout needs no proof. */
function wasProven({ state, proven, target, memory }: Rollout): boolean {
  return state === 'Completed' ? isProven({ history: memory.history.slice(1) }, target) : proven
}

/** No image is known to prove it with, and nothing is noted of a proof. */
function isUnproved({ node, report }: Member, policy: ProofPolicy): boolean {
  return proofImage(node, policy) === undefined && proofRecord(node, report) === undefined
}

/** By this rollout, so that a pod should have shown that pods still run. */
function isDisturbed(
  { node, assigned: hasIt, exposure }: Member,
  { always, since }: { readonly always: boolean; readonly since: number },
): boolean {
  if (!hasIt || exposure.content !== 'target') return false
  const { assigned } = node
  if (assigned?.at === undefined || assigned.at < since) return false
  return always || assigned.grant !== 'none'
}
