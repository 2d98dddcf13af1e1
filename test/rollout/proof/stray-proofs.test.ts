import { expect, test } from 'vitest'
import type { ProofPod } from '../../../src/rollout/model/node-view.ts'
import { strayProofs } from '../../../src/rollout/proof/actions.ts'
import { noon } from '../builders/instants.ts'

function podOn(node: string): ProofPod {
  const about = { digest: 'new', assignedAt: noon, startedAt: noon }
  return { name: `proof-${node}`, uid: `uid-${node}`, node, state: 'Running', ...about }
}

test('pods that prove nodes of no pool are removed, and those of a pool stay', () => {
  const pods = new Map(['member', 'stray'].map((node) => [node, podOn(node)] as const))

  expect(strayProofs({ kind: 'known', pods }, (node) => node === 'member')).toEqual([
    { kind: 'removeProof', pod: { name: 'proof-stray', uid: 'uid-stray' } },
  ])
  expect(strayProofs(undefined, () => false)).toEqual([])
})
