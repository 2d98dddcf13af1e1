import { expect, test } from 'vitest'
import { suspended, waiting } from '../../../src/rollout/gates/gate-records.ts'
import { minute, noon, stamp } from '../builders/instants.ts'

const about = { name: 'apps', wave: 'canary', revision: 'new', rollout: stamp(noon) }
const noted = { before: ['DaemonSet kube-system/cni 3'], recordedAt: stamp(noon) }

test('a record keeps what was noted before its wave, and when, while the gate waits', () => {
  const recorded = { ...about, ...noted, state: 'Recorded', since: stamp(noon) } as const

  expect(waiting(recorded, noon + minute)).toEqual({ ...about, ...noted, state: 'Waiting', since: stamp(noon + minute) })
  expect(waiting({ ...about, state: 'Recorded', since: stamp(noon) }, noon)).toEqual({
    ...about,
    state: 'Waiting',
    since: stamp(noon),
  })
})

test('a gate that is suspended keeps what was noted, and forgets what it said', () => {
  const said = { ...about, state: 'Waiting', since: stamp(noon), askedAt: stamp(noon + minute), message: '7 is above 5' } as const

  expect(suspended({ ...said, ...noted })).toEqual({ ...about, ...noted, state: 'Recorded', since: stamp(noon) })
  expect(suspended(said)).toBeUndefined()
})
