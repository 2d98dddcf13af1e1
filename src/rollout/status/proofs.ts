import type { Member, PoolState } from '../model/pool-state.ts'

/** What keeps a pod from running may never end: it is told before its time is over. */
export function describeProofs(poolState: PoolState): string {
  const told = poolState.members.flatMap((member) => waitOf(member, poolState)).sort()
  return told[0] === undefined ? '' : `; ${told[0]}`
}

function waitOf({ node, proof }: Member, { pool: { proofs } }: PoolState): string[] {
  if (proof?.kind !== 'Underway') return []
  if (proof.pod?.message !== undefined) return [`the pod that proves "${node.name}": ${proof.pod.message}`]
  const earlier = proof.pod === undefined && proofs?.kind === 'known' ? proofs.pods.get(node.name) : undefined
  return earlier ? [`the proof of "${node.name}" waits for the pod "${earlier.name}" of an earlier assignment to end`] : []
}
