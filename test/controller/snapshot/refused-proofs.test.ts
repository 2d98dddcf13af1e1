import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { proofPodName } from '../../../src/controller/proof/proof-pod.ts'
import { refusedProofs } from '../../../src/controller/snapshot/refused-proofs.ts'
import { proofKey } from '../../../src/controller/writes/write-failures.ts'
import type { ProofPods } from '../../../src/rollout/model/node-view.ts'

const node = (name: string, state?: string) => ({ name, view: { proof: state && { state } } }) as unknown as ClusterNode
const NODES = [node('a', 'Wanted'), node('b', 'Wanted'), node('c', 'Passed'), node('d')]
const refusal = (name: string) => ({
  object: proofKey(proofPodName(name)),
  ...{ about: '', message: `no pod on ${name}`, isDue: false },
})
const KNOWN: ProofPods = { kind: 'known', pods: new Map() }

test.each<readonly [what: string, refused: readonly string[], proofs: ProofPods | undefined, found: readonly string[]]>([
  ['nothing is refused', [], KNOWN, []],
  ['no node has to be proved', [], undefined, []],
  ['the pods of a node that waits and of one that does not are refused', ['a', 'c'], KNOWN, ['a: no pod on a']],
  ['pods cannot be read', [], { kind: 'unknown', why: 'forbidden' }, ['a: forbidden', 'b: forbidden']],
  ['a pod is refused, and none can be read', ['a'], { kind: 'unknown', why: 'forbidden' }, ['a: forbidden', 'b: forbidden']],
])('a node that waits for its pod is named with the reason, or not, when %s', (_, refused, proofs, found) => {
  const refusals = refused.map(refusal)
  expect(refusedProofs(NODES, { refusals, proofs }).map((each) => `${each.node}: ${each.message}`)).toEqual(found)
})
