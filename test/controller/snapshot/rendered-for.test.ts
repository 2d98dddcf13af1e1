import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import type { RenderedFrom } from '../../../src/controller/cache/rendered-from.ts'
import type { CompiledPool, Rendered } from '../../../src/controller/fleet/compiled-fleet.ts'
import { renderedFor, unbrokenSince } from '../../../src/controller/snapshot/gather.ts'

const config = { kind: 'config', digest: 'd', content: {}, desired: {}, payloads: [] } as const
const problem = { kind: 'problem', message: 'no' } as const
const facts = { name: 'n0', labels: {}, arch: 'amd64', osImage: '', cpu: 2, memory: 64 }

interface Draft {
  readonly pool?: Partial<CompiledPool>
  readonly rendered?: Rendered
  readonly facts?: object
  readonly renderedFrom?: RenderedFrom
}

/** What an assignment of a commit to one node of the pool is written with. */
function written({ pool = {}, rendered = config, facts: more = facts, renderedFrom }: Draft, revision = 'abc') {
  const compiled = { name: 'workers', fingerprint: 'f', ...pool } as CompiledPool
  const gathered = { revisions: new Map([['abc', { pools: new Map([['workers', compiled]]) }]]) } as never
  const renderer = { render: () => rendered } as never
  return renderedFor(gathered, { pool: 'workers', renderer })({ name: 'n0', facts: more, renderedFrom } as ClusterNode, revision)
}

const reading = { readsCapacity: true } as const

test.each<readonly [what: string, draft: Draft, expected: object | undefined]>([
  ['what was rendered', {}, config],
  ['nothing when that is a problem', { rendered: problem }, undefined],
  ['what its numbers were calculated from', { pool: reading }, { ...config, from: { fingerprint: 'f', cpu: 2, memory: 64 } }],
  [
    'the numbers that it had before',
    { pool: reading, renderedFrom: { fingerprint: 'f', cpu: 4, memory: 128 } },
    { ...config, from: { fingerprint: 'f', cpu: 4, memory: 128 } },
  ],
  ['no memory when none is known', { pool: reading, facts: { cpu: 2 } }, { ...config, from: { fingerprint: 'f', cpu: 2 } }],
  [
    'no processors when none are known',
    { pool: reading, facts: { memory: 64 } },
    { ...config, from: { fingerprint: 'f', memory: 64 } },
  ],
])('an assignment is written with %s', (_, draft, expected) => {
  expect(written(draft)).toEqual(expected)
})

test('an assignment of a commit that is not known is not written', () => {
  expect(written({}, 'def')).toBeUndefined()
})

test.each([
  ['neither is known', undefined, undefined, undefined],
  ['the clock was set', 5, undefined, 5],
  ['contact was lost', undefined, 7, 7],
  ['contact was lost after the clock was set', 5, 7, 7],
  ['the clock was set after contact was lost', 9, 7, 9],
])('time counts since the later of two instants when %s', (_, steady, inContact, since) => {
  const ports = { clock: { steadySince: () => steady } } as never
  expect(unbrokenSince({ ports, contact: { unbrokenSince: () => inContact } }, 10)).toBe(since)
})
