import { expect, test } from 'vitest'
import { progressUnder } from '../../../src/rollout/drain/drain-progress.ts'
import type { Drain, Underway } from '../../../src/rollout/model/drain.ts'
import type { NodeProgress } from '../../../src/rollout/model/node-progress.ts'
import { minute, noon } from '../builders/instants.ts'
import { aPod } from '../builders/pods.ts'
import { kept } from './upgrade.ts'

const waiting: NodeProgress = { phase: 'Waiting', pending: true }
const begun: Underway = { kind: 'Underway', since: noon - minute, deadline: noon + 14 * minute }

test.each<readonly [what: string, drain: Drain, progress: NodeProgress]>([
  ['as without a drain when that is over', { kind: 'Over' }, waiting],
  ['still draining when nothing is left to wait for', { kind: 'Done' }, { phase: 'Draining', pending: true }],
  ['skipped when its drain was given up', { kind: 'GivenUp' }, { phase: 'Skipped', pending: false }],
  ['skipped when somebody called its drain off', { kind: 'CalledOff' }, { phase: 'Skipped', pending: false }],
  ['skipped when it is left out', { kind: 'Aside', because: 'Cordoned' }, { phase: 'Skipped', pending: false }],
  [
    'skipped until it may be drained again',
    { kind: 'Aside', because: 'Skipped', until: noon + minute },
    { phase: 'Skipped', pending: false, until: noon + minute },
  ],
  ['cordoned until its pods are known', begun, { phase: 'Cordoned', pending: true, until: noon + 14 * minute }],
  [
    'draining until its deadline once its pods are known',
    { ...begun, remaining: [] },
    { phase: 'Draining', pending: true, until: noon + 14 * minute },
  ],
])('a node is %s', (_, drain, progress) => {
  expect(progressUnder(drain, { progress: waiting, ready: true, assigned: false, now: noon })).toEqual(progress)
})

test('a node that is left out and not Ready is unreachable', () => {
  const aside = { kind: 'Aside', because: 'Down' } as const

  expect(progressUnder(aside, { progress: waiting, ready: false, assigned: false, now: noon })).toEqual({
    phase: 'Unreachable',
    pending: false,
  })
})

test('a node that has the content, and cannot be drained for it before it is back, is as far as without a drain', () => {
  const down: NodeProgress = { phase: 'Unreachable', pending: true, until: noon + minute }

  expect(progressUnder({ kind: 'Aside', because: 'Down' }, { progress: down, ready: false, assigned: true, now: noon })).toEqual(
    down,
  )
})

test.each<readonly [what: string, drain: Partial<Underway>, until: number | undefined]>([
  ['begins to be slow, ten seconds after its cordon', { since: noon - 9_999 }, noon + 1],
  ['reaches its deadline, when it is slow since this instant', { since: noon - 10_000 }, noon + 14 * minute],
  ['never, when its deadline is this instant', { deadline: noon }, undefined],
  ['is past draining', { pastAt: noon + 1 }, noon + 1],
  ['reaches its deadline, when the node is past draining since this instant', { pastAt: noon }, noon + 14 * minute],
  ['may evict a refused pod again', { remaining: [refused(noon + 1), refused(noon + 2)] }, noon + 1],
  ['reaches its deadline, when a refused pod may be evicted at this instant', { remaining: [refused(noon)] }, noon + 14 * minute],
])('a drain changes by time alone when it %s', (_, more, until) => {
  expect(progressUnder({ ...begun, ...more }, { progress: waiting, ready: true, assigned: false, now: noon }).until).toBe(until)
})

function refused(until: number) {
  return { pod: aPod('x', { refusal: kept(until, 'shop') }), verdict: { kind: 'Evict' } } as const
}
