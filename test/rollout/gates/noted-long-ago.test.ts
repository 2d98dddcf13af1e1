import { expect, test } from 'vitest'
import type { HistoryEntry } from '../../../src/protocol/node-pool.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import { remembering } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
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

const noted = { before: ['Deployment shop/cart 1'], recordedAt: stamp(began) }

/** The canary `b` has `bad`. Then the pool was paused, and so many other commits came, of which no node has anything; now `new` does. */
function afterCommits(
  count: number,
  { history, completed = 'older' }: { history?: readonly HistoryEntry[]; completed?: string } = {},
) {
  const passedBy = Array.from({ length: count }, (_, i) =>
    aRollout(`c${i}`, { result: 'Superseded', startedAt: noon - (i + 1) * minute }),
  )
  const before = [...passedBy, aRollout('bad', { result: 'Superseded', startedAt: began })].slice(0, 9)
  const kept = history ?? [...before, aRollout('older', { result: 'Completed', startedAt: began - hour })]
  const pool = aPool({ head: 'new', stable: completed, history: kept, waves, gates: [apps] }).with(
    aNode('a').on(completed),
    aNode('b').on('bad', { at: began + minute }),
    aNode('c').on(completed),
  )
  const about = { name: 'apps', wave: 'canary', check: checkHash(apps.check), revision: 'bad', rollout: stamp(began) }
  const record = { ...about, ...noted, state: 'Recorded', since: stamp(began), begun: true } as const
  return { ...pool, memory: { ...pool.memory, gates: [record] } }
}

test.each([1, 7, 8, 9, 30])(
  'a commit is compared with what was so before an unfinished one that %s others have passed by',
  (count) => {
    const pool = afterCommits(count)
    const paused = { ...pool, controls: { paused: 'a test' } }
    const resumed = { ...remembering(paused, decide(paused, noon)), controls: {} }

    expect(asked(decide(pool, noon))).toMatchObject([{ question: 'before', revision: 'new', ...noted }])
    expect(asked(decide(resumed, noon + hour))).toMatchObject([{ question: 'before', revision: 'new', ...noted }])
  },
)

test('a commit is compared with what is so before it when one has completed since the record for which newer ones made room', () => {
  const passedBy = afterCommits(9).memory.history.slice(0, 9)
  const history = [...passedBy, aRollout('next', { result: 'Completed', startedAt: began + hour })]

  const decision = decide(afterCommits(9, { history, completed: 'next' }), noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', revision: 'new' }])
  expect(asked(decision)[0]?.before).toBeUndefined()
  expect(decision.status.gates).toMatchObject([{ revision: 'new' }])
})

test('a commit is compared with what is so before it when the history does not tell of the rollout of an older record', () => {
  const history = [aRollout('older', { result: 'Completed', startedAt: began - hour })]

  const decision = decide(afterCommits(0, { history }), noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', revision: 'new' }])
  expect(asked(decision)[0]?.before).toBeUndefined()
})
