import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { unsignedNodes } from '../../../src/controller/signing/unsigned-nodes.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const DIGEST = `v1:${'a'.repeat(64)}`
const KEY = '0123456789abcdef'
const SIGNATURE = `ed25519:${KEY}:${'A'.repeat(86)}==`
const ASSIGNED = '2026-11-21T08:00:00.000Z'
const desired = { DIGEST, POOL: 'workers', REVISION: 'abc', GRANT: 'restart', ASSIGNED }
const status = { phase: 'Applied', digest: DIGEST, since: ASSIGNED }

function aNode(name: string, change: { readonly desired?: object; readonly status?: object } = {}) {
  const annotations = {
    'nodewave.io/desired-config': JSON.stringify({ ...desired, ...change.desired }),
    'nodewave.io/status': JSON.stringify({ ...status, ...change.status }),
  }
  return projectNode(namesFor())({ metadata: { name, uid: `uid-${name}`, annotations } })
}

test('a node that has what it was assigned unsigned gets the same assignment signed', () => {
  expect(unsignedNodes('workers', { nodes: [aNode('a')], keyId: KEY })).toStrictEqual([
    {
      kind: 'sign',
      node: 'a',
      pool: 'workers',
      revision: 'abc',
      digest: DIGEST,
      grant: 'restart',
      at: Date.parse(ASSIGNED),
    },
  ])
})

test.each([
  ['did not serve', { NODE_WAS: 'Unsound' }, { nodeWas: 'Unsound' }],
  ['had a silent agent', { NODE_WAS: 'Silent' }, { nodeWas: 'Silent' }],
  ['was down', { NODE_WAS: 'Down' }, { nodeWas: 'Down' }],
  ['had been taken down by its rollout', { NODE_WAS: 'Disturbed' }, { nodeWas: 'Disturbed' }],
])('a node that %s when it was assigned still says so when that is signed', (_, desired, expected) => {
  expect(unsignedNodes('workers', { nodes: [aNode('a', { desired })], keyId: KEY })).toMatchObject([{ node: 'a', ...expected }])
})

test.each([
  ['is signed by this key', { desired: { SIGNATURE } }],
  ['failed: it would be tried again', { status: { phase: 'RolledBack' } }],
  ['is under way: it would be begun again', { status: { phase: 'Applying' } }],
  ['is not taken up yet', { status: { digest: `v1:${'b'.repeat(64)}` } }],
  ['is of another pool', { desired: { POOL: 'gpu' } }],
  ['was written by hand', { desired: { POOL: undefined } }],
  ['tells no instant', { desired: { ASSIGNED: undefined } }],
])('a node whose assignment %s is left as it is', (_, change) => {
  expect(unsignedNodes('workers', { nodes: [aNode('a', change)], keyId: KEY })).toEqual([])
})

test('a node that another key signed is signed again, so many at a time', () => {
  const nodes = Array.from({ length: 100 }, (_, index) => aNode(`n${index}`, { desired: { SIGNATURE } }))
  expect(unsignedNodes('workers', { nodes, keyId: 'fedcba9876543210' })).toHaveLength(64)
})
