import { expect, test } from 'vitest'
import { ASSIGNMENT_REPLAYED } from '../../../src/protocol/agent-status.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { remembering, selected, verdict } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'
import { answer, apps, asked, since, waves } from './some-gates.ts'

/** When the canary of `new` began. */
const noted = { before: ['Deployment shop/cart 1'], recordedAt: stamp(since) }
const about = { name: 'apps', wave: 'canary', revision: 'new', rollout: stamp(since), check: checkHash(apps.check) }

/** The canary `b` has `new`, and the gate waits for workloads that this has broken; nodes that are named have it, too. */
function whileItWaits(head: string, more: readonly string[] = []): PoolSnapshot {
  const history = [aRollout('new', { startedAt: since }), aRollout('older', { result: 'Completed', startedAt: since - minute })]
  const others = nodes('a', 'c').map((node) =>
    more.includes(node.name) ? node.on('new', { at: noon - 5 * minute }) : node.on('older'),
  )
  const pool = aPool({ head, stable: 'older', history, waves, gates: [apps], onFailure: 'Halt' }).with(
    aNode('b').on('new', { at: noon - 5 * minute }),
    ...others,
  )
  return { ...pool, memory: { ...pool.memory, gates: [{ ...about, ...noted, state: 'Waiting', since: stamp(since) }] } }
}

/** The next pass, once it is known that the same is unavailable now. */
function recordedNow(pool: PoolSnapshot, { status }: Decision, unavailable = noted.before): Decision {
  const [record] = status.gates?.slice(-1) ?? []
  const at = noon + 2 * minute
  const says = answer('Passed', at, { gate: 'apps', question: 'before', unavailable })
  const { revision = '', rollout = '' } = record ?? {}
  return decide({ ...pool, memory: status, gateAnswers: [{ ...says, revision, rollout }] }, at)
}

test('a commit that comes before the gate of another one has passed is compared with what was so before that, and what that broke counts', () => {
  const decision = decide(whileItWaits('next'), noon)

  expect(decision.status.gates).toMatchObject([{ wave: 'canary', revision: 'next', state: 'Recording', ...noted }])
  expect(asked(decision)).toMatchObject([{ question: 'before', ...noted }])
  expect(selected(decision)).toEqual([])
  expect(selected(recordedNow(whileItWaits('next'), decision))).toEqual(['b'])
})

test('a commit is compared with what was so before another one, and has not been repaired since', () => {
  const began = decide(whileItWaits('next'), noon)
  const recorded = recordedNow(whileItWaits('next'), began, [])

  expect(recorded.status.gates).toMatchObject([{ state: 'Recorded', before: [], recordedAt: stamp(since), begun: true }])
})

test('what was so before another commit is kept when the pool is paused before it is known what has been repaired since', () => {
  const pool = whileItWaits('next')
  const began = remembering(pool, decide(pool, noon))
  const paused = decide({ ...began, controls: { paused: 'a test' } }, noon + minute)
  const resumed = decide({ ...began, memory: paused.status }, noon + 2 * minute)

  expect(asked(paused)).toEqual([])
  expect(asked(resumed)).toMatchObject([{ question: 'before', ...noted }])
})

test('a workloads gate that counts from before another commit has its whole time to record after a pause', () => {
  const pool = whileItWaits('next')
  const says = answer('Unanswered', noon + 1, { gate: 'apps', question: 'before', revision: 'next', rollout: stamp(noon) })
  const asking = { ...remembering(pool, decide(pool, noon)), gateAnswers: [says] }
  const begun = { ...remembering(asking, decide(asking, noon + 1)), controls: { paused: 'a test' } }
  const paused = remembering(begun, decide(begun, noon + minute))
  const still = decide(paused, noon + 2 * minute)
  const at = noon + hour
  const later = { ...paused, controls: {}, gateAnswers: [{ ...says, at }] }
  const overdue = { ...remembering(later, decide(later, at)), gateAnswers: [{ ...says, at: at + 10 * minute }] }
  const kept = { ...about, ...noted, revision: 'next', rollout: stamp(noon), state: 'Recording', since: stamp(noon + minute) }

  expect(still.status.gates?.slice(-1)).toEqual([kept])
  expect(verdict(decide(later, at)).Stalled).toBe('False WaitingForGate')
  expect(verdict(decide(overdue, at + 10 * minute)).Stalled).toBe('True WaitingForGate')
})

test('an answer to what is unavailable does not count when it was asked before the record of another commit did', () => {
  const before = whileItWaits('next', ['c'])
  const began = remembering(before, decide(before, noon))
  const members = began.nodes.map((node) => (node.name === 'c' ? aNode('c').on('older', { at: noon }) : node))
  const says = answer('Passed', noon + 1, { gate: 'apps', question: 'before', unavailable: ['Deployment shop/web 1'] })
  const late = { ...says, revision: 'next', rollout: stamp(noon) }

  const decision = decide({ ...began, nodes: members, gateAnswers: [late] }, noon + minute)

  expect(decision.status.gates).toMatchObject([{ state: 'Recording', ...noted }])
})

test('a commit is compared with what is so before it where nodes of later waves have what another one brought', () => {
  const decision = decide(whileItWaits('next', ['c']), noon)

  expect(decision.status.gates).toMatchObject([{ revision: 'new' }, { wave: 'canary', revision: 'next', state: 'Recording' }])
  expect(asked(decision)).toMatchObject([{ question: 'before' }])
  expect(asked(decision)[0]?.before).toBeUndefined()
})

test('a third commit is compared with what is so before it when a node of a later wave has what the first one brought', () => {
  const pool = whileItWaits('newest', ['c'])
  const history = [aRollout('next', { startedAt: noon - minute }), ...pool.memory.history]
  const gates = [
    { ...about, ...noted, revision: 'next', rollout: stamp(noon - minute), state: 'Recorded', since: stamp(since) },
  ] as const
  const decision = decide({ ...pool, memory: { ...pool.memory, history, gates } }, noon)

  expect(decision.status.gates).toMatchObject([{ revision: 'next' }, { revision: 'newest', state: 'Recording' }])
})

test('a commit is compared with what is so before it where the one before has completed', () => {
  const pool = whileItWaits('next')
  const history = [aRollout('new', { result: 'Completed', startedAt: since })]
  const decision = decide({ ...pool, memory: { ...pool.memory, history } }, noon)

  expect(asked(decision)).toMatchObject([{ question: 'before' }])
  expect(asked(decision)[0]?.before).toBeUndefined()
})

function failedIn(waiting: PoolSnapshot): PoolSnapshot {
  const failed = decide({ ...waiting, gateAnswers: [answer('NotPassed', noon, { gate: 'apps' })] }, noon)
  return remembering(waiting, failed)
}

test.each([
  ['the canary alone has it', []],
  ['nodes of later waves have it, too', ['c']],
])('a retry is compared with what was so before the first try when %s', (_, more) => {
  const failed = failedIn(whileItWaits('new', more))
  const retried = decide({ ...failed, controls: { retry: 'new' } }, noon + minute)

  expect(failed.memory.gates).toMatchObject([{ state: 'Failed', ...noted }])
  expect(retried.status.gates).toMatchObject([{ rollout: stamp(noon + minute), state: 'Recording', ...noted }])
  expect(asked(retried)).toMatchObject([{ question: 'before', ...noted }])
  expect(asked(recordedNow(failed, retried))).toMatchObject([{ question: 'after', ...noted }])
})

test('a retry is compared with what was so before the first try when the pool had gone back', () => {
  const waiting = whileItWaits('new')
  const failed = failedIn({ ...waiting, policy: { ...waiting.policy, onFailure: 'Rollback' } })
  const nodesBack = waiting.nodes.map((node) => (node.name === 'b' ? aNode('b').on('older', { at: noon }) : node))
  const back = { ...failed, nodes: nodesBack }
  const returned = remembering(back, decide(back, noon + minute))
  const retried = decide({ ...returned, controls: { retry: 'new' } }, noon + 2 * minute)

  expect(returned.memory.history.map(({ result }) => result)).toEqual(['Completed', 'RolledBack', 'Completed'])
  expect(retried.status.gates).toMatchObject([{ rollout: stamp(noon + 2 * minute), state: 'Recording', ...noted }])
})

test('a commit after a failed one asks its gate about what was so before that', () => {
  const pool = { ...whileItWaits('next'), memory: failedIn(whileItWaits('new')).memory }
  const began = decide(pool, noon + minute)
  const recorded = recordedNow(pool, began)
  const done = pool.nodes.map((node) => (node.name === 'b' ? aNode('b').on('next', { at: noon + minute }) : node))
  const decision = decide({ ...pool, nodes: done, memory: recorded.status }, noon + 2 * minute)

  expect(selected(recorded)).toEqual(['b'])
  expect(asked(decision)).toMatchObject([{ question: 'after', revision: 'next', ...noted }])
})

test('a wave that a commit renames before its gate has passed is compared with what was so before it', () => {
  const waiting = whileItWaits('new')
  const renamed = [aWave('pilot', 1), aWave('rest', '100%')]
  const pool = { ...waiting, policy: { ...waiting.policy, waves: renamed } }
  const decision = decide({ ...pool, memory: { ...pool.memory, wave: { index: 1, count: 2, name: 'canary' } } }, noon)

  expect(asked(decision)).toMatchObject([{ question: 'before', wave: 'pilot', ...noted }])
})

/** `new` has passed its canary `b`, and broken something on `c` of the next wave, when `next` comes. */
function inSecondWave(): PoolSnapshot {
  const pool = whileItWaits('next', ['c'])
  const second = { ...about, ...noted, wave: 'early', state: 'Waiting', since: stamp(since) } as const
  const policy = { ...pool.policy, waves: [aWave('canary', 1), aWave('early', 2), aWave('rest', '100%')] }
  return { ...pool, policy, memory: { ...pool.memory, gates: [second] } }
}

test('a commit is compared in the second wave with what was so before one that broke something there', () => {
  const began = decide(inSecondWave(), noon)
  const run = { ...about, revision: 'next', rollout: stamp(noon) }
  const canaryDone = remembering(inSecondWave(), began)
  const passed = { ...run, state: 'Passed', since: stamp(noon) } as const
  const nodesNow = canaryDone.nodes.map((node) => (node.name === 'b' ? aNode('b').on('next', { at: noon }) : node))
  const gates = [...(began.status.gates ?? []).filter(({ revision }) => revision === 'new'), passed]
  const wave = { index: 2, count: 3, name: 'early', opened: ['canary', 'early'] }
  const opened = { ...canaryDone, nodes: nodesNow, memory: { ...began.status, gates, wave } }
  const second = decide(opened, noon + minute)

  expect(began.status.gates).toMatchObject([{ wave: 'early', revision: 'new', ...noted }, { state: 'Recording' }])
  expect(second.status.gates).toMatchObject([
    { state: 'Passed' },
    { wave: 'early', revision: 'next', state: 'Recording', ...noted },
  ])
})

test('a commit is compared with what was so before another one when no later wave has that any more by the time the record is made', () => {
  const before = whileItWaits('next', ['c'])
  const began = remembering(before, decide(before, noon))
  const restored = began.nodes.map((node) => (node.name === 'c' ? aNode('c').on('older', { at: noon }) : node))
  const decision = decide({ ...began, nodes: restored }, noon + minute)

  expect(began.memory.gates).toMatchObject([{ revision: 'new' }, { state: 'Recording' }])
  expect(decision.status.gates).toMatchObject([{ revision: 'next', state: 'Recording', ...noted }])
})

/** As `whileItWaits`, where `c` of a later wave was given `past` before the record was made. */
function withPast(head: string, past: (c: NodeDraft) => NodeDraft): PoolSnapshot {
  const pool = whileItWaits(head)
  return { ...pool, nodes: pool.nodes.map((node) => (node.name === 'c' ? past(aNode('c')) : node)) }
}

const beforeRecord = { at: since - minute }
const replayed = { reason: ASSIGNMENT_REPLAYED, message: 'a later one was accepted before' }

test('a commit is compared with what is so before it when a node of a later wave applied an older commit after the record was made', () => {
  const decision = decide(
    withPast('next', (c) => c.on('past', { ...beforeRecord, since: since + minute })),
    noon,
  )

  expect(decision.status.gates).toMatchObject([{ revision: 'new' }, { revision: 'next', state: 'Recording' }])
  expect(asked(decision)).toMatchObject([{ question: 'before' }])
  expect(asked(decision)[0]?.before).toBeUndefined()
})

test.each<[string, (c: NodeDraft) => NodeDraft]>([
  ['applied an older commit before it was made', (c) => c.on('past', beforeRecord)],
  ['has not ended its work for an older commit', (c) => c.on('older').assignedTo('past', beforeRecord).reporting('Applying')],
  ['has a clock that is ahead', (c) => c.on('past', { ...beforeRecord, since: noon + 24 * hour })],
  ['applied the stable content again', (c) => c.on('older', { ...beforeRecord, since: since + minute })],
])('a commit is compared with the record of another one when a node of a later wave %s', (_, past) => {
  const decision = decide(withPast('next', past), noon)

  expect(decision.status.gates).toMatchObject([{ revision: 'next', state: 'Recording', ...noted }])
  expect(asked(decision)).toMatchObject([{ question: 'before', ...noted }])
})

const at = { since: noon - minute }

/** A tool has changed its annotations, and its agent goes on with what it has. */
const unshown: [string, (c: NodeDraft, active: string) => NodeDraft][] = [
  ['lost', (c, active) => c.lostAssignmentOf(active, at)],
  ['an older one', (c, active) => c.on('older', beforeRecord).reporting('RolledBack', { ...at, active, error: replayed })],
]

test.each(unshown)(
  'a commit is compared with what is so before it when a node of a later wave runs an unfinished commit, and its assignment is %s',
  (_, running) => {
    const decision = decide(
      withPast('next', (c) => running(c, 'past')),
      noon,
    )

    expect(decision.status.gates).toMatchObject([{ revision: 'new' }, { revision: 'next', state: 'Recording' }])
    expect(asked(decision)).toMatchObject([{ question: 'before' }])
    expect(asked(decision)[0]?.before).toBeUndefined()
  },
)

test.each(unshown)(
  'a commit is compared with the record of another one when a node whose assignment is %s runs stable content, or the commit',
  (_, running) => {
    for (const active of ['older', 'next']) {
      const decision = decide(
        withPast('next', (c) => running(c, active)),
        noon,
      )
      expect(decision.status.gates).toMatchObject([{ revision: 'next', state: 'Recording', ...noted }])
    }
  },
)

test('a retry is compared with what was so before the first try when a node of a later wave applied an older commit later', () => {
  const failed = failedIn(withPast('new', (c) => c.on('past', { ...beforeRecord, since: since + minute })))
  const retried = decide({ ...failed, controls: { retry: 'new' } }, noon + minute)

  expect(retried.status.gates).toMatchObject([{ rollout: stamp(noon + minute), state: 'Recording', ...noted }])
})
