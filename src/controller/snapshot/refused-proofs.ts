import type { ProofPods } from '../../rollout/model/node-view.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { proofPodName } from '../proof/proof-pod.ts'
import { proofKey, type Refusal } from '../writes/write-failures.ts'

/** Nodes that wait for a pod which cannot be made or seen, and why: that is no fault of theirs. */
export function refusedProofs(
  nodes: readonly ClusterNode[],
  { refusals, proofs }: { readonly refusals: readonly Refusal[]; readonly proofs: ProofPods | undefined },
): readonly { readonly node: string; readonly message: string }[] {
  const byPod = new Map(refusals.map(({ object, message }) => [object, message]))
  const unseen = proofs?.kind === 'unknown' ? proofs.why : undefined
  if (byPod.size === 0 && unseen === undefined) return []
  return nodes.flatMap(({ name, view }) => {
    const message = view.proof?.state === 'Wanted' ? (unseen ?? byPod.get(proofKey(proofPodName(name)))) : undefined
    return message === undefined ? [] : [{ node: name, message }]
  })
}
