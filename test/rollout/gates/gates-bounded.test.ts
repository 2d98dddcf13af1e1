import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import { minute, noon, stamp } from '../builders/instants.ts'
import { aNode } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { apps, waves } from './some-gates.ts'

/** As much as one record may hold. */
const before = Array.from({ length: 200 }, (_, i) => `Deployment ${'x'.repeat(80)}/${i} 1`)

test('a status keeps the newest records of unfinished commits, and stays far below the size of an object', () => {
  const started = (i: number) => noon - (20 - i) * minute
  const revisions = Array.from({ length: 10 }, (_, i) => `c-${i}`)
  const history = revisions.map((revision, i) => aRollout(revision, { startedAt: started(i) })).reverse()
  const gates = revisions.flatMap((revision, i) =>
    ['a', 'b', 'c'].map((name) => {
      const about = { name, wave: 'early', revision, rollout: stamp(started(i)), check: checkHash(apps.check) }
      return { ...about, state: 'Waiting', since: stamp(started(i)), before, recordedAt: stamp(started(i)) } as const
    }),
  )
  const pool = aPool({ head: 'c-9', stable: 'older', history, waves, gates: [apps] }).with(aNode('x').on('older'))

  const { status } = decide({ ...pool, memory: { ...pool.memory, gates } }, noon)
  const kept = status.gates?.map(({ revision, name }) => `${revision} ${name}`)

  expect(JSON.stringify(gates).length).toBeGreaterThan(500_000)
  expect(JSON.stringify(status).length).toBeLessThan(300_000)
  expect(kept).toContain('c-9 c')
  expect(kept).not.toContain('c-0 a')
})
