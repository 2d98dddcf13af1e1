import { expect, test } from 'vitest'
import type { GateResult } from '../../../src/controller/gates/gate-check.ts'
import { GateRunner } from '../../../src/controller/gates/gate-runner.ts'
import type { AskGate } from '../../../src/rollout/model/decision.ts'
import { TestClock } from '../test-clock.ts'

const NOON = Date.UTC(2026, 10, 21, 12)

/** A keeper whose questions are answered by the test. */
function aKeeper(clock = new TestClock(NOON)) {
  const asked: PromiseWithResolvers<GateResult>[] = []
  const check = () => {
    const answer = Promise.withResolvers<GateResult>()
    asked.push(answer)
    return answer.promise
  }
  const ending = new AbortController()
  let told = Promise.withResolvers<void>()
  const keeper = new GateRunner({
    gateChecks: { nodeConditions: check, prometheus: check, job: check, workloads: check },
    clock,
    signal: ending.signal,
    changed: () => told.resolve(),
  })
  const heard = async () => {
    await told.promise
    told = Promise.withResolvers()
  }
  return { keeper, asked, ending, heard }
}

function question(
  more: {
    readonly gate?: string
    readonly wave?: string
    readonly rollout?: string
    readonly revision?: string
    readonly hash?: string
  } = {},
): AskGate {
  const { gate = 'slo', wave = 'canary', rollout = 'first', revision = 'abc', hash = 'a1' } = more
  const check = { kind: 'job', cronJob: 'x' } as const
  return {
    kind: 'askGate',
    question: 'after',
    gate: { name: gate, timeout: 1, interval: 1, check },
    ...{ wave, rollout, revision, check: hash, nodes: [], before: [] },
  }
}

test('a gate that is being asked is not asked once more, and each pool, commit and gate by itself', async () => {
  const { keeper, asked, heard } = aKeeper()
  keeper.ask('workers', question())
  keeper.ask('workers', question())
  keeper.ask('workers', question({ gate: 'other' }))
  keeper.ask('gpu', question())
  keeper.ask('workers', question({ revision: 'of the same instant' }))
  expect(asked.length).toBe(4)
  asked[0]?.resolve({ verdict: 'NotPassed', message: 'no' })
  await heard()
  keeper.ask('workers', question())
  expect(asked.length).toBe(5)
})

test('a gate whose check a commit changed is asked while the old question is under way, and each answer says which it is of', async () => {
  const { keeper, asked, heard } = aKeeper()
  keeper.ask('workers', question())
  keeper.ask('workers', question({ hash: 'b2' }))
  expect(asked.length).toBe(2)
  asked[0]?.resolve({ verdict: 'Passed', message: 'fine' })
  await heard()
  expect(keeper.answersFor('workers')).toMatchObject([{ check: 'a1', verdict: 'Passed' }])
  asked[1]?.resolve({ verdict: 'NotPassed', message: 'no' })
  await heard()
  expect(keeper.answersFor('workers')).toMatchObject([{ check: 'b2', verdict: 'NotPassed' }])
})

test('an answer is kept with its time, and the list is the same for as long as there is no other', async () => {
  const { keeper, asked, heard } = aKeeper()
  keeper.ask('workers', question())
  expect(keeper.answersFor('workers')).toEqual([])
  asked[0]?.resolve({ verdict: 'Passed', message: 'fine', value: 3 })
  await heard()
  expect(keeper.answersFor('workers')).toEqual([
    {
      gate: 'slo',
      wave: 'canary',
      revision: 'abc',
      rollout: 'first',
      check: 'a1',
      question: 'after',
      at: NOON,
      verdict: 'Passed',
      value: 3,
      message: 'fine',
    },
  ])
  expect(keeper.answersFor('workers')).toBe(keeper.answersFor('workers'))
  expect(keeper.answersFor('gpu')).toBe(keeper.answersFor('gpu'))
})

test('an answer that comes late is of when it was asked for: what was so then may be over', async () => {
  const clock = new TestClock(NOON)
  const { keeper, asked, heard } = aKeeper(clock)
  keeper.ask('workers', question())
  clock.advance(20_000)
  asked[0]?.resolve({ verdict: 'Passed', message: 'fine' })
  await heard()
  expect(keeper.answersFor('workers')).toMatchObject([{ at: NOON, verdict: 'Passed' }])
})

test('what gates of another run or wave said is forgotten', async () => {
  const { keeper, asked, heard } = aKeeper()
  for (const [i, more] of [
    { gate: 'old' },
    { gate: 'slo' },
    { gate: 'other', rollout: 'second' },
    { gate: 'new', rollout: 'second', revision: 'b' },
  ].entries()) {
    keeper.ask('workers', question(more))
    asked[i]?.resolve({ verdict: 'Passed', message: 'fine' })
    await heard()
  }
  expect(keeper.answersFor('workers').map(({ gate }) => gate)).toEqual(['new'])
})

test('what other gates of the same wave said is kept, and the last answer of each gate counts', async () => {
  const { keeper, asked, heard } = aKeeper()
  const all = [{ gate: 'slo' }, { gate: 'other' }, { gate: 'slo' }, { gate: 'slo', wave: 'all' }]
  for (const [i, more] of all.entries()) {
    keeper.ask('workers', question(more))
    asked[i]?.resolve({ verdict: 'Passed', message: `${i}` })
    await heard()
    if (i === 2)
      expect(keeper.answersFor('workers').map(({ gate, message }) => `${gate} ${message}`)).toEqual(['other 1', 'slo 2'])
  }
  expect(keeper.answersFor('workers').map(({ gate, message }) => `${gate} ${message}`)).toEqual(['slo 3'])
})

test('a question that fails is no answer, and its message is cut', async () => {
  const { keeper, asked, heard } = aKeeper()
  keeper.ask('workers', question())
  asked[0]?.reject(new Error('x'.repeat(10_000)))
  await heard()
  expect(keeper.answersFor('workers')).toMatchObject([{ verdict: 'Unanswered', message: 'x'.repeat(500) }])
})

test('a question that never ends is given up when the controller ends', async () => {
  const { keeper, ending, heard } = aKeeper()
  keeper.ask('workers', question())
  ending.abort(new Error('the controller ends'))
  await heard()
  expect(keeper.answersFor('workers')).toMatchObject([{ verdict: 'Unanswered', message: 'the controller ends' }])
})
