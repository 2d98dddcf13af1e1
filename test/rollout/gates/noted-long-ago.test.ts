import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import { hour, noon, stamp } from '../builders/instants.ts'
import { nodes } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { apps, asked, waves } from './some-gates.ts'

const began = noon - 90 * hour

test('a commit is compared with what is so before it when its content was tried before another commit that has completed', () => {
  const history = [
    aRollout('next', { result: 'Completed', startedAt: noon - 80 * hour }),
    aRollout('new', { result: 'Superseded', startedAt: began }),
    aRollout('older', { result: 'Completed', startedAt: noon - 99 * hour }),
  ]
  const pool = aPool({ head: 'new', commit: 'again', stable: 'next', history, waves, gates: [apps] }).with(
    ...nodes('a', 'b', 'c').map((node) => node.on('next')),
  )
  const about = { name: 'apps', wave: 'canary', check: checkHash(apps.check) }
  const noted = { before: ['Deployment shop/cart 1'], recordedAt: stamp(began) }
  const gates = [
    { ...about, ...noted, revision: 'new', rollout: stamp(began), state: 'Waiting', since: stamp(began) },
    { ...about, revision: 'next', rollout: stamp(noon - 80 * hour), state: 'Passed', since: stamp(noon - 80 * hour) },
  ] as const

  const decision = decide({ ...pool, memory: { ...pool.memory, gates } }, noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', revision: 'again' }])
})

test('a retry is compared with what is so before it when a commit has completed since the first try that had been tried before that, too', () => {
  const history = [
    aRollout('next', { result: 'Completed', startedAt: noon - 80 * hour }),
    aRollout('new', { result: 'Halted', startedAt: began }),
    aRollout('next', { result: 'Superseded', startedAt: noon - 95 * hour }),
    aRollout('older', { result: 'Completed', startedAt: noon - 99 * hour }),
  ]
  const pool = aPool({ head: 'new', stable: 'next', history, rejected: ['new'], waves, gates: [apps] }).with(
    ...nodes('a', 'b', 'c').map((node) => node.on('next')),
  )
  const about = { name: 'apps', wave: 'canary', check: checkHash(apps.check) }
  const noted = { before: ['Deployment shop/cart 1'], recordedAt: stamp(began) }
  const gates = [
    { ...about, ...noted, revision: 'new', rollout: stamp(began), state: 'Failed', since: stamp(began) },
    { ...about, revision: 'next', rollout: stamp(noon - 80 * hour), state: 'Passed', since: stamp(noon - 80 * hour) },
  ] as const
  const decision = decide({ ...pool, controls: { retry: 'new' }, memory: { ...pool.memory, gates } }, noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', revision: 'new' }])
  expect(asked(decision)[0]?.before).toBeUndefined()
})
