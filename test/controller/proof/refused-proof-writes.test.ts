import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { type ProofWrite, ProofWrites } from '../../../src/controller/proof/proof-writes.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'

const POD = { node: 'a', image: 'registry.k8s.io/pause:3.10', digest: 'new', assignedAt: 0, timeout: 30_000, at: 0 }
const start: ProofWrite = { kind: 'startProof', pod: POD }
const remove: ProofWrite = { kind: 'removeProof', node: 'a', pod: { name: 'proof-1', uid: 'u' } } as never

/** What came of a write that the server refuses: it is done, or fails with this message. */
async function outcomeOf(
  write: ProofWrite,
  { error, isThere = true }: { error?: Error; isThere?: boolean } = {},
): Promise<string> {
  const asked: string[] = []
  const answer = async (path: string, more?: unknown) => {
    asked.push(`${path} ${JSON.stringify(more)}`)
    if (error) throw error
    return { metadata: { name: 'proof-1' } } as never
  }
  const work: (() => Promise<{ isDone: boolean }>)[] = []
  const writes = new ProofWrites({
    kube: { create: answer, delete: answer, list: async () => ({ items: [], resourceVersion: '1' }) },
    nodes: { get: () => (isThere ? ({ uid: 'node-uid' } as ClusterNode) : undefined) },
    background: { begin: (_, begun) => void work.push(begun) },
    ...{ log: () => undefined, made: () => undefined },
  })
  writes.begin(write)
  return work[0]?.().then(
    ({ isDone }) => `${isDone ? 'done' : 'not done'}, ${asked.length} asked`,
    ({ message }: Error) => message,
  ) as Promise<string>
}

const refused = (code: number, reason: string) => new KubeError(reason, { code, reason })

test.each<readonly [what: string, write: ProofWrite, error: Error | undefined, outcome: string]>([
  ['a pod that is made', start, undefined, 'done, 1 asked'],
  ['a pod whose name is taken, and is free by now', start, refused(409, 'AlreadyExists'), 'done, 1 asked'],
  ['a pod that the server refuses', start, refused(403, 'Forbidden'), 'Forbidden'],
  ['a pod that cannot be sent', start, new Error('socket hang up'), 'socket hang up'],
  ['a pod that is removed', remove, undefined, 'done, 1 asked'],
  ['a pod to remove that is gone', remove, refused(404, 'NotFound'), 'done, 1 asked'],
  ['a pod to remove that is another one by now', remove, refused(409, 'Conflict'), 'done, 1 asked'],
  ['a pod whose removal the server refuses', remove, refused(403, 'Forbidden'), 'Forbidden'],
  ['a pod whose removal cannot be sent', remove, new Error('socket hang up'), 'socket hang up'],
])('%s has this outcome', async (_, write, error, outcome) => {
  expect(await outcomeOf(write, error && { error })).toBe(outcome)
})

test('no pod is made for a node that is gone', async () => {
  expect(await outcomeOf(start, { isThere: false })).toBe('done, 0 asked')
})
