import { expect, test } from 'vitest'
import type { NodePoolView } from '../../../src/controller/cache/node-pool-view.ts'
import type { CompiledFleet, CompiledPool } from '../../../src/controller/fleet/compiled-fleet.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { PoolSnapshots, type PoolSources } from '../../../src/controller/snapshot/pool-snapshots.ts'
import { nothingSpecial } from './sources.ts'

const pool: CompiledPool = {
  name: 'workers',
  fingerprint: 'of new',
  spec: {},
  policy: {} as CompiledPool['policy'],
  disruption: {},
  render: () => ({ kind: 'problem', message: 'not asked' }),
}
const head = {
  commit: 'new',
  author: 'Ada',
  subject: 'change',
  pools: new Map([['workers', pool]]),
} as Partial<CompiledFleet> as CompiledFleet

function sources(more: Partial<PoolSources> = {}): PoolSources {
  return { ...nothingSpecial(), pool, head, ...more }
}

test('a snapshot is the same one again while what it is made of reads the same, and another one when that changes', () => {
  const snapshots = new PoolSnapshots()
  const rendering = { renderer: new PoolRenderer(), revisions: new Map() }
  const of = (more?: Partial<PoolSources>) => snapshots.of(sources(more), rendering)
  const rejected = () => [{ revision: 'bad', fingerprint: 'of bad' }]
  const first = of({ rejected: rejected() })

  expect(of({ rejected: rejected(), kept: [], contested: [], known: [], pods: new Map() })).toBe(first)
  expect(of({ rejected: [] })).not.toBe(first)
  expect(of({ rejected: [] }).memory.rejected).toEqual([])
})

test('a snapshot is made again of a pool that was gone meanwhile', () => {
  const snapshots = new PoolSnapshots()
  const rendering = { renderer: new PoolRenderer(), revisions: new Map() }
  const gpu = { ...pool, name: 'gpu' }
  const [workersThen, gpuThen] = [pool, gpu].map((each) => snapshots.of(sources({ pool: each }), rendering))
  snapshots.retain(new Set(['gpu']))

  expect(snapshots.of(sources({ pool }), rendering)).not.toBe(workersThen)
  expect(snapshots.of(sources({ pool: gpu }), rendering)).toBe(gpuThen)
})

test('a snapshot keeps its parts when the status says something else, and is the same one when it came back as another object', () => {
  const snapshots = new PoolSnapshots()
  const rendering = { renderer: new PoolRenderer(), revisions: new Map() }
  const of = (failed: string) => {
    const status = { failed: [{ node: failed, reason: 'Other', message: 'a test' }] }
    return snapshots.of(sources({ view: { status, controls: {} } as Partial<NodePoolView> as NodePoolView }), rendering)
  }
  const first = of('a')

  expect(of('a')).toBe(first)
  const second = of('b')
  expect(second).toEqual({ ...first, memory: { ...first.memory, failed: [{ node: 'b', reason: 'Other', message: 'a test' }] } })
  expect(second.head === first.head && second.nodes === first.nodes && second.known === first.known).toBe(true)
})
