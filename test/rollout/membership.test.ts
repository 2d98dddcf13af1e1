import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assessPool } from '../../src/rollout/assess-pool.ts'
import { decide } from '../../src/rollout/decide.ts'
import type { NodeView } from '../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { remembering } from './builders/decisions.ts'
import { noon } from './builders/instants.ts'
import { aNode, type NodeDraft } from './builders/nodes.ts'
import { aWave } from './builders/policies.ts'
import { aPool } from './builders/pools.ts'

const minute = 60_000
const waves = [aWave('canary', 1), aWave('early', '30%'), aWave('late', '40%'), aWave('rest', '100%')]

/** A run in the middle of a wave: some waves are done, of the open one some nodes are. */
const middle = fc
  .record({
    size: fc.integer({ min: 3, max: 40 }),
    passes: fc.integer({ min: 1, max: 12 }),
    maxUnavailable: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ size, passes, maxUnavailable }) => {
    const names = Array.from({ length: size }, (_, i) => `n${i}`)
    let pool = aPool({ stable: 'older', waves, maxUnavailable }).with(...names.map((name) => aNode(name).on('older')))
    for (let i = 0; i < passes; i++) pool = played(pool, noon + i * minute)
    return { pool, at: noon + passes * minute }
  })

/** One decision, carried out and obeyed at once. */
function played(pool: PoolSnapshot, at: number): PoolSnapshot {
  const decision = decide(pool, at)
  const selected = new Map(decision.actions.flatMap((action) => (action.kind === 'assign' ? [[action.node, action.digest]] : [])))
  const after = pool.nodes.map((node) => {
    const digest = selected.get(node.name)
    return digest === undefined ? node : aNode(node.name).on(digest, { at })
  })
  return remembering({ ...pool, nodes: after }, decision)
}

function waveByNode(pool: PoolSnapshot, at: number): ReadonlyMap<string, number | undefined> {
  return new Map(assessPool(pool, at).members.map(({ node, wave }) => [node.name, wave]))
}

function withNodes(pool: PoolSnapshot, nodes: readonly NodeView[]): PoolSnapshot {
  const wanted = new Map(nodes.map(({ name }) => [name, { kind: 'config', digest: 'new', disruption: 'restart' } as const]))
  return { ...pool, nodes, head: { ...pool.head, wanted } }
}

test('a node that joins in the middle of a rollout moves no other into an open wave, nor out of one', () => {
  fc.assert(
    fc.property(middle, fc.integer({ min: 1, max: 20 }), ({ pool, at }, count) => {
      const late: NodeDraft[] = Array.from({ length: count }, (_, i) =>
        aNode(`late${i}`)
          .on('older')
          .createdAtInstant(at - minute / 2),
      )
      const before = waveByNode(pool, at)
      const after = waveByNode(withNodes(pool, [...late, ...pool.nodes]), at)
      const { open } = assessPool(pool, at)
      const isOpen = (wave: number | undefined) => wave !== undefined && wave <= open
      for (const { name } of pool.nodes) expect(isOpen(after.get(name))).toBe(isOpen(before.get(name)))
    }),
  )
})

test('a node that was taken stays with the open waves when others leave', () => {
  fc.assert(
    fc.property(middle, fc.infiniteStream(fc.boolean()), ({ pool, at }, stays) => {
      const left = pool.nodes.filter((node, i) => i === 0 || node.assigned?.digest === 'new' || stays.next().value)
      const { open, members } = assessPool(withNodes(pool, left), at)
      for (const { node, wave } of members) if (node.assigned?.digest === 'new') expect(wave ?? 0).toBeLessThanOrEqual(open)
    }),
  )
})
