import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignWaves, type WaveCandidate, waveMembership, wavesOf, withFirstNode } from '../../../src/rollout/exposure/waves.ts'
import type { RolloutPolicy } from '../../../src/rollout/model/policy.ts'
import { aWave } from '../builders/policies.ts'

const policy = (...waves: RolloutPolicy['waves']) => ({ waves }) as RolloutPolicy

function candidates(count: number): WaveCandidate[] {
  return Array.from({ length: count }, (_, i) => ({ name: `node-${i}`, labels: { rack: `${i % 2}` } }))
}

/** How many nodes each wave has. */
function sizes(waves: RolloutPolicy['waves'], nodes: readonly WaveCandidate[]): number[] {
  const members = [...waveMembership(waves, { pool: 'workers', nodes }).values()]
  return waves.map((_, index) => members.filter((wave) => wave === index).length)
}

test('wavesOf puts a last wave after those that do not cover the pool', () => {
  expect(wavesOf(policy(aWave('canary', 1), aWave('early', '20%'))).map(({ name }) => name)).toEqual(['canary', 'early', 'rest'])
})

test('wavesOf leaves waves alone when their percentages cover the pool', () => {
  expect(wavesOf(policy(aWave('canary', 1), aWave('all', '100%'))).map(({ name }) => name)).toEqual(['canary', 'all'])
})

test('waveMembership sizes waves by count and percentage, and the last takes what rounding left', () => {
  expect(sizes([aWave('canary', 1), aWave('early', '20%'), aWave('late', '80%')], candidates(37))).toEqual([1, 7, 29])
})

test('waveMembership gives a percentage of a small pool at least one node', () => {
  expect(sizes([aWave('canary', '5%'), aWave('rest', '100%')], candidates(4))).toEqual([1, 3])
})

test('waveMembership takes all nodes with the labels that an earlier wave has not', () => {
  expect(sizes([aWave('canary', 1), aWave('rack 1', { rack: '1' }), aWave('rest', '100%')], candidates(10))).toSatisfy(
    ([canary, rack, rest]: number[]) => canary === 1 && (rack === 4 || rack === 5) && 1 + (rack ?? 0) + (rest ?? 0) === 10,
  )
})

test('waveMembership prefers lower ranks whatever their hash', () => {
  const nodes = candidates(50).map((node) => ({ ...node, rank: node.name === 'node-31' ? 0 : 1 }))

  expect(waveMembership([aWave('canary', 1), aWave('rest', '100%')], { pool: 'workers', nodes }).get('node-31')).toBe(0)
})

test('waveMembership chooses other canaries in another pool', () => {
  const waves = [aWave('canary', 3), aWave('rest', '100%')]
  const canaries = (pool: string) =>
    [...waveMembership(waves, { pool, nodes: candidates(40) })].filter(([, wave]) => wave === 0).map(([name]) => name)

  expect(canaries('workers')).not.toEqual(canaries('gpu'))
})

test('waveMembership moves at most one other node across each border when a node leaves', () => {
  const waves = [aWave('canary', 2), aWave('early', 10), aWave('rest', '100%')]
  const size = fc.integer({ min: 2, max: 60 })
  fc.assert(
    fc.property(size, fc.nat(), (count, which) => {
      const all = candidates(count)
      const gone = all[which % count]?.name
      const left = all.filter(({ name }) => name !== gone)
      const before = waveMembership(waves, { pool: 'workers', nodes: all })
      const after = waveMembership(waves, { pool: 'workers', nodes: left })
      const moved = left.filter(({ name }) => before.get(name) !== after.get(name))
      expect(moved.length).toBeLessThanOrEqual(2)
      expect(moved.every(({ name }) => (after.get(name) ?? 9) < (before.get(name) ?? 0))).toBe(true)
    }),
  )
})

test.each([
  ['a', { a: 1, b: 2 }],
  ['b', { a: 2, b: 1 }],
])('of nodes that are taken already, the one that was taken first keeps the place: %s', (first, takenAt) => {
  const taken = Object.entries(takenAt).map(([name, since]) => ({ name, labels: {}, isExposed: true, since }))
  const nodes = [...taken, { name: 'c', labels: {} }]

  const waveOf = waveMembership([aWave('canary', 1), aWave('all', '100%')], { pool: 'workers', nodes })

  expect([...waveOf].filter(([, wave]) => wave === 0)).toEqual([[first, 0]])
})

const candidate = (name: string, more: Partial<WaveCandidate> = {}): WaveCandidate => ({ name, labels: {}, ...more })
const membersOf = (...nodes: WaveCandidate[]) => assignWaves([aWave('canary', 1), aWave('rest', '100%')], { nodes }).join('')

test('a canary of one takes the first sound node', () => {
  expect(membersOf(candidate('a'), candidate('b'))).toBe('01')
})

test('a canary of one gives the place of a node that was tried in vain to the next one', () => {
  expect(membersOf(candidate('a', { place: 'Tried', isExposed: true }), candidate('b'), candidate('c'))).toBe('101')
})

test('a canary of one keeps the place of a second node that was tried, which seemed sound when it was assigned', () => {
  const tried = { place: 'Tried', isExposed: true } as const

  expect(membersOf(candidate('a', tried), candidate('b', tried), candidate('c'))).toBe('101')
})

test('a canary of one takes one unsound node, and no second one that it has not exposed', () => {
  const unsound = { place: 'Unsound' } as const

  expect(membersOf(candidate('a', unsound), candidate('b', unsound))).toBe('01')
  expect(membersOf(candidate('a', { place: 'Tried', isExposed: true }), candidate('b', unsound), candidate('c'))).toBe('110')
})

const byLabel = [aWave('canary', { rack: '9' }), aWave('rest', '100%')]
const rack9 = { labels: { rack: '9' } }

test.each([
  ['it names a node', byLabel, { nodes: [rack9] }],
  ['its nodes are gone since it opened', byLabel, { nodes: [], sizes: [{ name: 'canary', nodes: 2 }] }],
  ['it is the only wave', [aWave('canary', { rack: '9' })], { nodes: [] }],
  ['it has a size', [aWave('canary', 2), aWave('rest', '100%')], { nodes: [] }],
  ['there are no waves', [], { nodes: [] }],
])('withFirstNode leaves the waves as they are when %s', (_, waves, division) => {
  expect(withFirstNode(waves, division)).toBe(waves)
})

test.each([
  ['no node is there', { nodes: [] }],
  ['it names no node', { nodes: [{ labels: {} }] }],
  ['it names only a node that joins', { nodes: [{ ...rack9, joins: true }] }],
  ['it had no node when it opened', { nodes: [], sizes: [{ name: 'canary', nodes: 0 }] }],
  ['another wave had nodes', { nodes: [], sizes: [{ name: 'rest', nodes: 2 }] }],
])('withFirstNode lets a first wave by labels take one node when %s', (_, division) => {
  expect(withFirstNode(byLabel, division)).toEqual([{ ...byLabel[0], nodes: { count: 1 } }, byLabel[1]])
})
