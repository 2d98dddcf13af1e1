import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { assignments, condition, remembering, selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, aYoungNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRef, aRevision, aRollout } from '../builders/revisions.ts'

const canary = [aWave('canary', 1, { soak: 10 * minute })]
const past = [
  aRollout('present', { result: 'Completed' }),
  aRollout('unfinished', { result: 'Superseded', startedAt: noon - 2 * hour }),
  aRollout('good', { result: 'Completed', startedAt: noon - 3 * hour }),
]
const ada = { rollback: { who: 'ada', at: '2026-11-21T11:59:00Z' } }

/** Three nodes at `present`, the newest commit; `good` completed before it, and `unfinished` never did. */
function aPoolAsked(rollback: string, options: PoolOptions = {}, ...more: readonly NodeView[]) {
  return anEmptyPoolAsked(rollback, options).with(...nodes('a', 'b', 'c').map((node) => node.on('present')), ...more)
}

function anEmptyPoolAsked(rollback: string, options: PoolOptions = {}) {
  const settled = { head: 'present', stable: 'present', history: past, waves: canary, maxUnavailable: 2 } as const
  return aPool({ ...settled, controls: { rollback, by: ada }, ...options })
}

test('a rollback goes to the last commit that completed before, without canary and soak, and keeps the budget', () => {
  const decision = decide(aPoolAsked(''), noon)

  expect(selected(decision)).toHaveLength(2)
  expect(assignments(decision)[0]).toMatch(/ → good$/)
  expect(decision.status.wave).toEqual({ index: 1, count: 1, name: 'all', opened: ['all'] })
  expect(decision.status.rollback).toMatchObject({ to: { revision: 'good' }, from: { revision: 'present' }, who: 'ada' })
})

test('a rollback to what never completed goes wave by wave', () => {
  const decision = decide(aPoolAsked('unfinished'), noon)

  expect(selected(decision)).toHaveLength(1)
  expect(decision.status.wave).toEqual({ index: 1, count: 2, name: 'canary', opened: ['canary'] })
})

test('a rollback to the oldest of ten completed commits goes there without canary, and a node that joins does not get what the pool leaves', () => {
  const history = ['present', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a', 'oldest'].map((content, index) =>
    aRollout(content, { result: 'Completed', startedAt: noon - (index + 1) * hour }),
  )
  const pool = anEmptyPoolAsked('oldest', { history }).with(aNode('a').on('present'), aYoungNode('fresh'))
  const decision = decide(pool, noon)

  expect(assignments(decision)).toEqual(['fresh → oldest', 'a → oldest'])
  expect(decision.status.wave).toEqual({ index: 1, count: 1, name: 'all', opened: ['all'] })
  expect(decision.status.history.map(({ revision }) => revision)).toEqual([
    'oldest',
    'present',
    'h',
    'g',
    'f',
    'e',
    'd',
    'c',
    'b',
    'oldest',
  ])
})

test('a node that joins a pool without members gets what the pool was rolled back to, unless that never completed', () => {
  const askedOf = (rollback: string) => anEmptyPoolAsked(rollback).with(aYoungNode('fresh'))

  expect(assignments(decide(askedOf(''), noon))).toEqual(['fresh → good'])
  expect(assignments(decide(askedOf('unfinished'), noon))).not.toContain('fresh → good')
})

test('a pool that was rolled back stays there through passes and restarts, and says who asked', () => {
  const first = decide(aPoolAsked(''), noon)
  const arrived = nodes('a', 'b', 'c').map((node) => node.on('good', { at: noon }))

  const later = decide({ ...remembering(aPoolAsked(''), first), nodes: arrived }, noon + hour)

  expect(later.actions).toEqual([])
  expect(later.status.stable?.revision).toBe('good')
  expect(condition(later, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'RolledBack',
    message:
      'rolled back to good by ada at 2026-11-21T11:59:00Z; push another commit, or: nodewave resume workers (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback-)',
  })
})

test('a pool that was rolled back names the held nodes that stay on other content', () => {
  const first = decide(aPoolAsked(''), noon)
  const held = [aNode('b').on('present').held(), aNode('c').on('good').held()]
  const later = decide(
    { ...remembering(aPoolAsked(''), first), nodes: [aNode('a').on('good', { at: noon }), ...held] },
    noon + hour,
  )

  expect(condition(later, 'Stalled').message).toContain(
    'by ada at 2026-11-21T11:59:00Z; held on other content: "b"; push another commit',
  )
})

test('a pool that went back by itself names the held nodes that stay on what failed', () => {
  const failed = aNode('a').rolledBackFrom('new')
  const held = aNode('b').on('new').held()
  const message = condition(
    decide(aPool({ head: 'new', stable: 'older', since: noon - 5 * minute }).with(failed, held, aNode('c').on('older')), noon),
    'Stalled',
  ).message

  expect(message).toContain('the pool rolls back to older; held on other content: "b"; push a fix or a revert')
})

const failedBefore = { rejected: ['present'], history: [aRollout('present', { result: 'Halted' }), ...past.slice(1)] }

test('a pool that was rolled back from what failed says that the rollback ends before a retry', () => {
  const first = decide(aPoolAsked('', { ...failedBefore, stable: 'good' }), noon)
  const nodes = ['a', 'b', 'c'].map((name) => aNode(name).on('good', { at: noon }))
  const later = decide({ ...remembering(aPoolAsked('', failedBefore), first), nodes }, noon + hour)

  expect(condition(later, 'Stalled').message).toContain(
    'push a fix or a revert; to try it again: nodewave resume workers (or kubectl annotate --overwrite nwp/workers nodewave.io/rollback-), ' +
      'and then: nodewave retry workers (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=present)',
  )
})

test('the end of a rollback says that the pool stays where it is when the newest commit failed there', () => {
  const options = { ...failedBefore, stable: 'good' } as const
  const first = decide(aPoolAsked('', options), noon)
  const later = decide({ ...aPoolAsked('', { ...options, controls: {} }), memory: first.status }, noon + minute)

  expect(later.status.target?.revision).toBe('good')
  expect(later.status.controls[0]).toMatchObject({
    action: 'EndRollback',
    message:
      'the pool follows the repository again; its newest commit present failed here, so the pool stays where it is; ' +
      'push a fix, or run: nodewave retry workers',
  })
})

test('the end of a rollback that failed names the newest commit in the retry, which would try the rollback again without', () => {
  const first = decide(aPoolAsked('', { ...failedBefore, stable: 'good' }), noon)
  const memory = { ...first.status, rejected: [aRef('good'), ...first.status.rejected] }
  const later = decide({ ...aPoolAsked('', { ...failedBefore, stable: 'good', controls: {} }), memory }, noon + minute)

  expect(later.status.controls[0]?.message).toBe(
    'the pool follows the repository again; its newest commit present failed here, so the pool stays where it is; ' +
      'push a fix, or run: nodewave retry workers --revision present',
  )
})

test('a retry of what was rolled back from is recorded as what it does: nothing begins before the rollback ends', () => {
  const options = { ...failedBefore, stable: 'good' } as const
  const first = decide(aPoolAsked('', options), noon)
  const asked = aPoolAsked('', { ...options, controls: { rollback: '', by: ada, retry: 'present' } })
  const later = decide({ ...asked, memory: first.status }, noon + minute)

  expect(later.status.target?.revision).toBe('good')
  expect(later.status.controls[0]).toMatchObject({
    action: 'Retry',
    message: 'present no longer counts as failed; it is tried again when the rollback ends',
  })
})

test('a rollback ends with a commit that says something new, and its annotation is cleared', () => {
  const asked = aPoolAsked('')
  const pushed = aPoolAsked('', { head: 'fix' })

  const decision = decide({ ...pushed, memory: decide(asked, noon).status }, noon + minute)

  expect(decision.status.target?.revision).toBe('fix')
  expect(decision.status.rollback).toBeUndefined()
  expect(decision.actions.at(-1)?.kind).toBe('assign')
  const next = decide(remembering(pushed, decision), noon + 2 * minute)
  expect(next.actions.at(-1)).toEqual({ kind: 'clearControl', control: 'rollback', value: '' })
  expect(decision.status.controls[0]).toMatchObject({
    action: 'EndRollback',
    message: 'fix arrived; the pool follows the repository again',
  })
})

test('a rollback outlasts a commit that renders the same as the one that people fled from', () => {
  const renamed = aPoolAsked('', { commit: 'c0ffee1' })

  const decision = decide({ ...renamed, memory: decide(aPoolAsked(''), noon).status }, noon + minute)

  expect(decision.status.target?.revision).toBe('good')
})

test('a rollback ends when its annotation is taken back', () => {
  const resumed = aPoolAsked('', { controls: {} })

  const decision = decide({ ...resumed, memory: decide(aPoolAsked(''), noon).status }, noon + minute)

  expect(decision.status.target?.revision).toBe('present')
  expect(decision.status.controls.map(({ action }) => action)).toEqual(['EndRollback', 'Rollback'])
})

test('a rollback to what failed here is refused, with what can be chosen, and its annotation is cleared', () => {
  const asked = aPoolAsked('unfinished', { rejected: ['unfinished'] })

  const decision = decide(asked, noon)

  expect(selected(decision)).toEqual([])
  expect(decision.status.controls[0]).toMatchObject({
    action: 'Rollback',
    who: 'ada',
    outcome: 'Refused',
    message: '"unfinished" failed here; choices: good',
  })
  expect(decision.events[0]).toMatchObject({ type: 'Warning', reason: 'RollbackRefused' })
  expect(decide(remembering(asked, decision), noon).actions).toEqual([
    { kind: 'clearControl', control: 'rollback', value: 'unfinished' },
  ])
})

test('a rollback to a commit goes to a later one that is kept and has the same content', () => {
  const again = { ...aRollout('good', { result: 'Completed', startedAt: noon - 90 * minute }), revision: 'again' }
  const asked = aPoolAsked('good', { history: [...past.slice(0, 2), again, ...past.slice(2)] })
  const known = new Map([...asked.known, ['again', { ...aRevision('good', asked.nodes), revision: 'again' }]])

  expect(decide({ ...asked, known }, noon).status.rollback?.to.revision).toBe('again')
})

test.each([
  ['the present target has', 'present', '"earlier" has the content of the current target; choices: unfinis, good'],
  ['failed here', 'bad', '"earlier" has content that failed here; choices: unfinis, good'],
])('a rollback to a commit with content that %s is refused', (_, content, message) => {
  const earlier = { ...aRollout(content, { result: 'Superseded', startedAt: noon - 4 * hour }), revision: 'earlier' }
  const asked = aPoolAsked('earlier', { history: [...past, earlier], rejected: ['bad'] })

  expect(decide(asked, noon).status.controls[0]?.message).toBe(message)
})

test('a rollback to what the cluster keeps no more is refused', () => {
  const decision = decide({ ...aPoolAsked('good'), kept: new Set(['present', 'unfinished']) }, noon)

  expect(decision.status.target?.revision).toBe('present')
  expect(decision.status.controls[0]?.message).toBe(
    '"good" is no longer kept, or was never a target of this pool; choices: unfinis',
  )
  expect(decision.status.rollbackTo.map(({ revision }) => revision)).toEqual(['unfinished'])
})

test('a rollback to what is kept but cannot be read now is refused, and nothing is assigned', () => {
  const decision = decide({ ...aPoolAsked('good'), known: new Map(), kept: new Set(['present', 'unfinished', 'good']) }, noon)

  expect(decision.status.rollback).toBeUndefined()
  expect(decision.status.controls).toMatchObject([{ action: 'Rollback', outcome: 'Refused' }])
  expect(selected(decision)).toEqual([])
})

test('a rollback that fails halts the pool: what people fled from does not come back', () => {
  const asked = aPoolAsked('unfinished')
  const begun = decide(asked, noon)
  const failed = [aNode('a').rolledBackFrom('unfinished', { at: noon }), ...nodes('b', 'c').map((node) => node.on('present'))]

  const decision = decide({ ...remembering(asked, begun), nodes: failed }, noon + minute)

  expect(decision.status.history[0]).toMatchObject({ revision: 'unfinished', result: 'Halted' })
  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled').reason).toBe('Halted')
})

test('a rollback whose commit is lost halts the pool', () => {
  const asked = aPoolAsked('')
  const arrived = nodes('a', 'b', 'c').map((node) => node.on('good', { at: noon }))

  const decision = decide({ ...remembering(asked, decide(asked, noon)), nodes: arrived, known: new Map() }, noon + minute)

  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({ reason: 'Halted' })
  expect(condition(decision, 'Stalled').message).toContain('good can no longer be rendered; no node changes')
})

test('nodes that join a pool which is being rolled back get what it goes to', () => {
  expect(assignments(decide(aPoolAsked('', {}, aYoungNode('fresh')), noon))).toContain('fresh → good')
})

test('a pool that was rolled back goes forward again wave by wave when the rollback is taken back', () => {
  const first = decide(aPoolAsked(''), noon)
  const arrived = nodes('a', 'b', 'c').map((node) => node.on('good', { at: noon }))
  const back = decide({ ...remembering(aPoolAsked(''), first), nodes: arrived }, noon + hour)
  const resumed = { ...remembering(aPoolAsked(''), back), nodes: arrived, controls: {} }

  const decision = decide(resumed, noon + 2 * hour)

  expect(assignments(decision)).toHaveLength(1)
  expect(assignments(decision)[0]).toMatch(/ → present$/)
  expect(decision.status.wave).toEqual({ index: 1, count: 2, name: 'canary', opened: ['canary'] })
})

test('a second rollback that names no commit does not send the pool back further, nor forward', () => {
  const first = decide(aPoolAsked('good'), noon)
  const second = { ...remembering(aPoolAsked(''), first), controls: { rollback: '' } }

  const { status } = decide(second, noon + minute)

  expect(status.target?.revision).toBe('good')
  expect(status.rollback?.to.revision).toBe('good')
  expect(status.controls[0]).toMatchObject({
    action: 'Rollback',
    outcome: 'Refused',
    message: 'the pool was rolled back to good by ada at 2026-11-21T11:59:00Z; to go elsewhere, name a commit',
  })
})

test('a rollback that names no commit leads back from a fix that came when the pool had stopped at what failed', () => {
  const history = [
    aRollout('present', { startedAt: noon - hour }),
    aRollout('bad', { result: 'RolledBack', startedAt: noon - 2 * hour }),
    aRollout('good', { result: 'Completed', startedAt: noon - 3 * hour }),
  ]

  const { status } = decide(aPoolAsked('', { stable: 'good', rejected: ['bad'], history }), noon)

  expect(status.rollback).toMatchObject({ to: { revision: 'good' }, from: { revision: 'present' } })
})

test('a rollback that names no commit does not send a pool back further that went back from a failed commit by itself', () => {
  const history = [
    aRollout('good', { startedAt: noon - minute }),
    aRollout('present', { result: 'RolledBack', startedAt: noon - hour }),
    aRollout('good', { result: 'Completed', startedAt: noon - 2 * hour }),
    aRollout('oldest', { result: 'Completed', startedAt: noon - 3 * hour }),
  ]
  const options = { history, stable: 'good', rejected: ['present'] } as const

  const { status } = decide(aPoolAsked('', options), noon)

  expect(status.target?.revision).toBe('good')
  expect(status.rollback).toBeUndefined()
  expect(status.controls[0]).toMatchObject({
    action: 'Rollback',
    outcome: 'Refused',
    message: 'present failed, and the pool went back to good by itself; to go elsewhere, name a commit; choices: oldest',
  })
  expect(decide(aPoolAsked('oldest', options), noon).status.target?.revision).toBe('oldest')
})

test('a rollback that names a commit takes the place of the one before', () => {
  const history = [...past, aRollout('oldest', { result: 'Completed', startedAt: noon - 4 * hour })]
  const first = decide(aPoolAsked('good', { history }), noon)
  const second = { ...remembering(aPoolAsked('oldest', { history }), first), controls: { rollback: 'oldest' } }

  expect(decide(second, noon + minute).status.rollback?.to.revision).toBe('oldest')
})

test('a paused pool that is asked to roll back says that it is paused, and how to end that, before how to end the rollback', () => {
  const paused = aPoolAsked('', { controls: { rollback: '', paused: 'storm', by: ada } })
  const decision = decide(paused, noon)

  expect(decision.actions).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'Paused',
    message:
      'rolls back to good by ada at 2026-11-21T11:59:00Z; paused: storm; nodes that have started finish; until: nodewave resume workers',
  })
})

test('a pool that goes back after a failure while it is paused says how to end the pause', () => {
  const pool = aPool({ head: 'bad', stable: 'good', rejected: ['bad'], controls: { paused: 'storm' } }).with(
    aNode('a').rolledBackFrom('bad'),
    aNode('b').on('bad'),
  )

  expect(condition(decide(pool, noon), 'Stalled').message).toMatch(/; paused: storm; until: nodewave resume workers$/)
})
