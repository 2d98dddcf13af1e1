import { expect, test } from 'vitest'
import type { Approval, HistoryEntry } from '../../../src/protocol/node-pool.ts'
import { boundPromotion, isPromoted, isSpent } from '../../../src/rollout/controls/promotion.ts'
import { NO_MEMORY } from '../../../src/rollout/model/snapshot.ts'
import { hour, noon, stamp } from '../builders/instants.ts'
import { aRef, aRollout } from '../builders/revisions.ts'

const promotion: Approval = { value: 'new', fingerprint: 'of new' }
const startedAt = stamp(noon)
const bound = { ...promotion, rollout: startedAt }
const run = (result: HistoryEntry['result'] = 'Running') => aRollout('new', { result, startedAt: noon })

test.each<readonly [what: string, isSpent: boolean, memory: object, head: string]>([
  ['there is none', false, {}, 'new'],
  ['its commit is the newest, and has not begun', false, { promotion }, 'new'],
  ['its commit is the target, and has not begun', false, { promotion, target: aRef('new') }, 'newer'],
  ['another commit came before it began', true, { promotion, target: aRef('older') }, 'newer'],
  ['its rollout goes on', false, { promotion: bound, history: [run()] }, 'new'],
  ['its rollout has completed', false, { promotion: bound, history: [run('Completed')] }, 'new'],
  [
    'its rollout was superseded, and goes on to be the last one',
    false,
    { promotion: bound, history: [run('Superseded')] },
    'new',
  ],
  ['its rollout has halted', true, { promotion: bound, history: [run('Halted')] }, 'new'],
  ['its rollout was rolled back', true, { promotion: bound, history: [run('RolledBack')] }, 'new'],
  ['another rollout has begun', true, { promotion: bound, history: [aRollout('new', { startedAt: noon + hour }), run()] }, 'new'],
  ['nothing is remembered of its rollout', true, { promotion: bound, history: [] }, 'new'],
])('a promotion is spent when %s: %s', (_, expected, memory, head) => {
  expect(isSpent({ ...NO_MEMORY, ...memory }, aRef(head))).toBe(expected)
})

test.each<readonly [what: string, isPromoted: boolean, memory: object, content: string]>([
  ['was promoted in its rollout', true, { promotion: bound, history: [run()] }, 'new'],
  ['was not promoted', false, { history: [run()] }, 'new'],
  ['was promoted before its rollout began', false, { promotion, history: [run()] }, 'new'],
  [
    'was promoted in an earlier rollout',
    false,
    { promotion: bound, history: [aRollout('new', { startedAt: noon + hour })] },
    'new',
  ],
  ['was promoted while nothing is remembered of a rollout', false, { promotion, history: [] }, 'new'],
  ['is another one than was promoted', false, { promotion: bound, history: [run()] }, 'older'],
])('a content %s: %s', (_, expected, memory, content) => {
  expect(isPromoted({ ...NO_MEMORY, ...memory }, aRef(content))).toBe(expected)
})

test('a promotion is bound to the first rollout that goes to its content', () => {
  const boundTo = (known: Approval | undefined, fingerprint: string) =>
    boundPromotion({ ...NO_MEMORY, ...(known && { promotion: known }) }, { fingerprint, startedAt })

  expect(boundTo(promotion, 'of new')).toEqual(bound)
  expect(boundTo(promotion, 'of older')).toBe(promotion)
  expect(boundTo({ ...promotion, rollout: 'an earlier one' }, 'of new')).toEqual({ ...promotion, rollout: 'an earlier one' })
  expect(boundTo(undefined, 'of new')).toBeUndefined()
})
