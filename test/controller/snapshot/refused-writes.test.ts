import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { refusedWrites } from '../../../src/controller/snapshot/refused-writes.ts'
import { nodeKey, payloadKey, UNCORDON } from '../../../src/controller/writes/write-failures.ts'

const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name, view: {} }) as ClusterNode) as [ClusterNode, ClusterNode, ClusterNode]
const rendered = (digest: string, payloads: readonly string[] = []) =>
  ({ kind: 'config', digest, payloads: payloads.map((name) => ({ name })) }) as never

test('refusedWrites concerns a node that stays cordoned, and one that is kept from what it may be brought to, and no other', () => {
  const refused = refusedWrites([
    { object: nodeKey('a'), about: UNCORDON, message: 'no uncordon', isDue: false },
    { object: nodeKey('b'), about: 'new', message: 'no assignment', isDue: false },
    { object: nodeKey('c'), about: 'old', message: 'no longer wanted', isDue: false },
  ])

  expect(refused?.concerning([a, b, c], () => [rendered('new')])).toEqual([
    { node: 'a', message: 'no uncordon' },
    { node: 'b', message: 'no assignment' },
  ])
})

test('refusedWrites finds the payload that keeps a node from its content', () => {
  const refused = refusedWrites([{ object: payloadKey('p1'), about: '', message: 'quota', isDue: false }])

  expect(refused?.of(a, rendered('new', ['p0', 'p1']))?.message).toBe('quota')
  expect(refused?.of(a, rendered('new', ['p0']))).toBeUndefined()
})

test('refusedWrites keeps no node from content that its agent has applied, and whose payload is refused since', () => {
  const refused = refusedWrites([{ object: payloadKey('p1'), about: '', message: 'quota', isDue: true }])
  const nodeIn = (phase: string) =>
    ({ name: 'a', view: { assigned: { digest: 'new' }, status: { phase, digest: 'new' } } }) as ClusterNode
  const concerned = (node: ClusterNode) => refused?.concerning([node], () => [rendered('new', ['p1'])]).length

  expect(['Applied', 'Fetching', 'RolledBack'].map((phase) => concerned(nodeIn(phase)))).toEqual([0, 1, 1])
})

test('refusedWrites is nothing where the server refused nothing', () => {
  expect(refusedWrites([])).toBeUndefined()
})
