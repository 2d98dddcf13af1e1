import { expect, test } from 'vitest'
import { NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { restamped } from '../../../src/rollout/target/history.ts'
import { hour, noon, stamp } from '../builders/instants.ts'
import { aRollout } from '../builders/revisions.ts'

const before = stamp(noon + hour)
const gate = (rollout: string) => ({ name: 'g', wave: 'w', revision: 'new', rollout, state: 'Passed', since: '' }) as const
const promotion = (rollout: string) => ({ rollout, at: '' }) as never
const memory = { ...NO_MEMORY, history: [aRollout('new', { startedAt: noon + hour })] }

test('a rollout that is stamped again takes its promotion and its gates along', () => {
  const all = { ...memory, promotion: promotion(before), gates: [gate(before), gate('another')] }

  expect(restamped(all, stamp(noon))).toMatchObject({
    promotion: { rollout: stamp(noon) },
    gates: [{ rollout: stamp(noon) }, { rollout: 'another' }],
  })
})

test('a rollout that is stamped again leaves the promotion of another one, and makes up none', () => {
  expect(restamped({ ...memory, promotion: promotion('another') }, stamp(noon)).promotion).toEqual({ rollout: 'another', at: '' })
  expect(restamped(memory, stamp(noon))).toEqual(memory)
})

test('a memory stays the same when its rollout keeps its stamp, or when there is none', () => {
  expect(restamped(memory, before)).toBe(memory)
  expect(restamped(memory, undefined)).toBe(memory)
})
