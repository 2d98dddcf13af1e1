import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import type { Ownership } from '../../../src/controller/fleet/compiled-fleet.ts'
import { assignMembers } from '../../../src/controller/snapshot/assign-members.ts'

const OWNERS: Readonly<Record<string, Ownership>> = {
  a: { kind: 'owned', pool: 'workers' },
  b: { kind: 'owned', pool: 'workers' },
  c: { kind: 'owned', pool: 'gpu' },
  lost: { kind: 'owned', pool: 'gpu' },
  both: { kind: 'contested', pools: ['workers', 'gpu'], message: 'both claim it' },
  nobody: { kind: 'unowned' },
}

const node = (name: string, poolLabel?: string, view: object = {}) =>
  ({ name, poolLabel, facts: { name }, view }) as unknown as ClusterNode
const [a, b, c] = [node('a', 'workers'), node('b', 'gpu'), node('c')]
const lost = node('lost', undefined, { assigned: { digest: 'd', pool: 'gpu' } })
const [both, nobody] = [node('both', 'gpu'), node('nobody', 'gpu')]

test('each node is a member of the pool that selects it, and a stray when none or several do', () => {
  const ownerOf = ({ name }: { readonly name: string }) => OWNERS[name] ?? { kind: 'unowned' as const }
  const pools = new Map(['workers', 'gpu', 'empty'].map((name) => [name, undefined]))
  expect(assignMembers({ ownerOf, pools }, [a, both, b, nobody, c, lost])).toEqual({
    byPool: new Map([
      ['workers', [a, b]],
      ['gpu', [c, lost]],
      ['empty', []],
    ]),
    contested: new Map([
      ['workers', ['both claim it']],
      ['gpu', ['both claim it']],
    ]),
    strays: [both, nobody],
    mislabelled: [
      { kind: 'label', node: 'b', pool: 'workers' },
      { kind: 'label', node: 'lost', pool: 'gpu' },
    ],
  })
})
