import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import type { CompiledFleet, CompiledPool } from '../../../src/controller/fleet/compiled-fleet.ts'
import { PoolRenderer } from '../../../src/controller/fleet/pool-renderer.ts'
import { PoolSnapshots, type PoolSources } from '../../../src/controller/snapshot/pool-snapshots.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { nothingSpecial } from './sources.ts'

const pool: CompiledPool = {
  ...{ name: 'workers', fingerprint: 'of new', spec: {}, disruption: {}, policy: {} as CompiledPool['policy'] },
  render: () => ({ kind: 'problem', message: 'not asked' }),
}
const fleetOf = (commit: string, ...pools: readonly CompiledPool[]) =>
  ({
    commit,
    author: 'Ada',
    subject: 'change',
    pools: new Map(pools.map((each) => [each.name, each])),
  }) as unknown as CompiledFleet

const node = (name: string) => ({ name, facts: { name }, view: { name } }) as never as ClusterNode
const [n0, n1] = [node('n0'), node('n1')]
const head = fleetOf('new', pool)
const base: PoolSources = { ...nothingSpecial(), pool, head, nodes: [n0] }
const rendering = { renderer: new PoolRenderer(), revisions: new Map() }
const snapshotOf = (more: Partial<PoolSources> = {}) => new PoolSnapshots().of({ ...base, ...more }, rendering)
const awaited = [{ cluster: 'eu', pools: ['workers'] }] as never as PoolSources['awaitedClusters']
const proofs = { kind: 'unknown', why: 'forbidden' } as const
const ceiling = { rules: [] }
const pods = new Map([['n0', { kind: 'known', pods: [] }]]) as never as PoolSources['pods']

test('a snapshot of a pool of which nothing special is known has no other parts', () => {
  expect(Object.keys(snapshotOf()).sort()).toEqual(
    ['contested', 'controls', 'gateAnswers', 'head', 'kept', 'known', 'memory', 'name', 'nodes', 'pods', 'policy'].sort(),
  )
})

test.each<readonly [what: string, sources: Partial<PoolSources>, parts: Partial<PoolSnapshot>]>([
  ['pods that prove nodes', { proofs }, { proofs }],
  ['pools of other clusters', { awaitedClusters: awaited }, { awaitedClusters: awaited }],
  ['a Ceiling', { ceiling }, { ceiling, places: {} }],
  [
    'a Ceiling, with where its policy stands',
    { ceiling, pool: { ...pool, places: { waves: 'a:1' } as never } },
    { ceiling, places: { waves: 'a:1' } as never },
  ],
  ['since when time counts', { steadySince: 0 }, { steadySince: 0 }],
  ['since when nodes are watched', { watchedSince: 0 }, { watchedSince: 0 }],
  ['when all nodes were listed', { listedAt: 0 }, { listedAt: 0 }],
  ['that the repository has not been read', { unread: true }, { repositoryUnread: true }],
  ['what is wrong in the repository', { problem: 'bad' }, { repositoryProblem: 'bad' }],
  ['a commit that is not trusted', { untrusted: 'nobody' }, { untrustedCommit: 'nobody' }],
  ['a commit that waits', { held: 'much' }, { unpromotedCommit: 'much' }],
])('a snapshot has %s where there is such', (_, sources, parts) => {
  expect(snapshotOf(sources)).toEqual({ ...snapshotOf(), ...parts })
})

test('a snapshot remembers what failed as it is kept elsewhere, and nothing where nothing is', () => {
  const rejected = [{ revision: 'bad', fingerprint: 'of bad' }]
  expect(snapshotOf().memory.rejected).toEqual([])
  expect(snapshotOf({ rejected }).memory.rejected).toEqual(rejected)
})

test('a commit that has no such pool is not among those that the pool may be brought to', () => {
  const known = [fleetOf('old', { ...pool, fingerprint: 'of old' }), fleetOf('other')]
  expect([...snapshotOf({ known }).known].map(([commit, { fingerprint }]) => `${commit} ${fingerprint}`)).toEqual(['old of old'])
})

const refusal = { object: 'node n0', about: 'd', message: 'no', isDue: true } as const

test.each<readonly [what: string, sources: Partial<PoolSources>]>([
  ['its content', { pool: { ...pool } }],
  ['the newest commit', { head: fleetOf('newer', pool) }],
  ['that the repository has not been read', { unread: true }],
  ['what is wrong in the repository', { problem: 'bad' }],
  ['who signed', { untrusted: 'nobody' }],
  ['what waits', { held: 'much' }],
  ['what operators ask for', { view: { status: {}, controls: { paused: 'storm' } } as never }],
  ['what failed', { rejected: [{ revision: 'bad', fingerprint: 'of bad' }] }],
  ['the Ceiling', { ceiling }],
  ['since when time counts', { steadySince: 0 }],
  ['since when nodes are watched', { watchedSince: 0 }],
  ['when all nodes were listed', { listedAt: 0 }],
  ['what the server refuses', { refusals: [refusal] }],
  ['what gates say', { gateAnswers: [{}] as never }],
  ['pools of other clusters', { awaitedClusters: awaited }],
  ['pods that prove nodes', { proofs }],
  ['pods under drain', { pods }],
  ['who claims its nodes', { contested: ['gpu'] }],
  ['commits of before', { known: [fleetOf('old', pool)] }],
  ['commits that are kept', { kept: ['old'] }],
  ['its nodes', { nodes: [n0, n1] }],
  ['one of its nodes', { nodes: [node('n0')] }],
])('a snapshot is another one when this changed: %s', (_, more) => {
  const snapshots = new PoolSnapshots()
  const first = snapshots.of(base, rendering)
  expect(snapshots.of(base, rendering)).toBe(first)
  expect(snapshots.of({ ...base, ...more }, rendering)).not.toBe(first)
  expect(snapshots.of(base, rendering)).not.toBe(first)
})

test('a snapshot is the same one when a node changed in what no decision looks at', () => {
  const snapshots = new PoolSnapshots()
  const first = snapshots.of({ ...base, nodes: [n0, n1] }, rendering)
  expect(snapshots.of({ ...base, nodes: [{ ...n0, resourceVersion: '2' }, n1] }, rendering)).toBe(first)
  expect(snapshots.of({ ...base, nodes: [n1, n0] }, rendering)).not.toBe(first)
})

test('a snapshot is another one when the same pods are under drain on another node, or one of two changed', () => {
  const of = (...entries: readonly [string, object][]) => ({ ...base, pods: new Map(entries) as never as PoolSources['pods'] })
  const [a, b] = [{}, {}]
  const snapshots = new PoolSnapshots()
  const first = snapshots.of(of(['n0', a], ['n1', b]), rendering)
  expect(snapshots.of(of(['n0', a], ['n1', b]), rendering)).toBe(first)
  expect(snapshots.of(of(['n0', a], ['n1', {}]), rendering)).not.toBe(first)
})
