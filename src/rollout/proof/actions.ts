import type { Action } from '../model/decision.ts'
import { inOrder } from '../model/member-order.ts'
import type { ProofPod, ProofPods } from '../model/node-view.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { proofImage } from './image.ts'

type ProofAction = Extract<Action, { kind: 'startProof' | 'removeProof' | 'recordProof' }>

/** So many pods of one pool at a time: however many nodes change at once, the API server is spared. */
const AT_ONCE = 50

/**
 * Pods that are to be made or removed, and what is to be noted of those that have ended.
 * @param selected nodes that get something else now: what was found out about them is over with that
 */
export function proofActions(state: PoolState, selected: readonly { readonly node: string }[]): readonly ProofAction[] {
  const { pool, members, notAtRest } = state
  if (pool.proofs?.kind !== 'known') return []
  const { pods } = pool.proofs
  // Of a node at rest, what was noted is all there is, unless a pod is left.
  const looked = pods.size === 0 ? notAtRest : members
  const concerned = inOrder(looked.filter(({ node, proof }) => proof || pods.has(node.name)))
  let places = AT_ONCE - pods.size
  const others = new Set(selected.map(({ node }) => node))
  return concerned.flatMap((member): ProofAction[] => {
    if (others.has(member.node.name)) return []
    const pod = pods.get(member.node.name)
    if (pod) return [...noted(member), ...removed(member, pod)]
    return isToStart(member) && places-- > 0 ? started(member, state) : noted(member)
  })
}

function isToStart({ node, proof }: Member): boolean {
  return proof?.kind === 'Underway' && node.ready && node.leaving !== true
}

function started({ node }: Member, { pool, now }: PoolState): ProofAction[] {
  const { proof: policy } = pool.policy
  const image = proofImage(node, policy)
  if (!policy || image === undefined || node.assigned?.at === undefined) return []
  const { digest, at: assignedAt } = node.assigned
  const { command, claim, timeout } = policy
  return [{ kind: 'startProof', pod: { node: node.name, image, command, claim, digest, assignedAt, timeout, at: now } }]
}

function noted({ node, proof }: Member): ProofAction[] {
  if (!proof || proof.kind === 'Underway' || proof.isNoted || !node.proof) return []
  const ended = { state: proof.kind, endedAt: proof.at, ...(proof.kind === 'Failed' && { message: proof.message }) }
  return [{ kind: 'recordProof', node: node.name, proof: { ...node.proof, ...ended } }]
}

/** Only when what it showed is noted: else it would have to be shown again. */
function removed({ proof }: Member, { name, uid }: ProofPod): ProofAction[] {
  const isNeeded = proof && (proof.kind === 'Underway' ? proof.pod !== undefined : !proof.isNoted)
  return isNeeded ? [] : [{ kind: 'removeProof', pod: { name, uid } }]
}

/** Pods of nodes that are of no pool, or are gone. */
export function strayProofs(
  proofs: ProofPods | undefined,
  isOfAPool: (node: string) => boolean,
): readonly Extract<ProofAction, { kind: 'removeProof' }>[] {
  if (proofs?.kind !== 'known') return []
  return [...proofs.pods.values()]
    .filter(({ node }) => !isOfAPool(node))
    .map(({ name, uid }) => ({ kind: 'removeProof', pod: { name, uid } }))
}
