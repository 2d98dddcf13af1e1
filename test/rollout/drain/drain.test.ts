import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { Decision } from '../../../src/rollout/decision.ts'
import type { NodeView } from '../../../src/rollout/node-view.ts'
import {
  aNode,
  aPod,
  aPool,
  aWave,
  condition,
  minute,
  noon,
  type PoolOptions,
  phases,
  remembering,
  stamp,
  verdict,
} from '../builders.ts'

/** `cordon a`, `evict a shop/x`, `uncordon a`, `assign a new drain`. */
function done({ actions }: Decision): string[] {
  return actions.map((action) => {
    if (action.kind === 'cordon') return `cordon ${action.node} ${action.mark.state}`
    if (action.kind === 'evict') return `evict ${action.node} ${action.pod.name}`
    if (action.kind === 'uncordon')
      return `${action.lifts ? 'uncordon' : 'unmark'} ${action.node} ${action.mark?.state ?? ''}`.trim()
    return action.kind === 'assign' ? `assign ${action.node} ${action.digest} ${action.grant}` : action.kind
  })
}

/** A pool on its way from `older` to `new`, which takes a drain, with room for one node. */
function upgrade(options: PoolOptions, ...members: readonly NodeView[]): Decision {
  return decide(
    aPool({ stable: 'older', since: noon - minute, disruption: 'drain', maxUnavailable: 1, ...options }).with(...members),
    noon,
  )
}

const a = aNode('a').on('older')
const b = aNode('b').on('older')
const kept = (until: number, ...names: string[]) => ({
  until,
  message: 'cannot evict',
  budgets: names.map((name) => ({ name, desiredHealthy: 4, currentHealthy: 4 })),
})

test('a node that must be drained is cordoned first, as far as the budget goes', () => {
  const decision = upgrade({}, a, b)

  expect(decision.actions).toHaveLength(1)
  expect(decision.actions[0]).toMatchObject({ kind: 'cordon', mark: { digest: 'new', at: noon, state: 'Ours' } })
})

test('a change that needs no drain, and a pool that never drains, cordon nobody', () => {
  expect(done(upgrade({ disruption: 'restart' }, a))).toEqual(['assign a new restart'])
  expect(done(upgrade({ drain: 'Never' }, a))).toEqual(['assign a new drain'])
  expect(done(upgrade({ drain: 'Never', disruption: 'reboot' }, a))).toEqual(['assign a new reboot'])
})

test('a pool that always drains does so before a mere restart, and not where nothing is disturbed', () => {
  expect(done(upgrade({ drain: 'Always', disruption: 'restart' }, a))).toEqual(['cordon a Ours'])
  expect(done(upgrade({ drain: 'Always', disruption: 'none' }, a))).toEqual(['assign a new none'])
})

test('nodes that need no drain are changed though others need one', () => {
  const wants = { a: { disruption: 'drain' as const } }

  expect(done(upgrade({ disruption: 'restart', wants, maxUnavailable: 2 }, a, b)).toSorted()).toEqual([
    'assign b new restart',
    'cordon a Ours',
  ])
})

test('a cordoned node whose pods are not known yet waits, and holds its place in the budget', () => {
  const decision = upgrade({}, a.drainedFor('new'), b)

  expect(done(decision)).toEqual([])
  expect(phases(decision)).toEqual({ Cordoned: 1, Waiting: 1 })
  expect(verdict(decision).Reconciling).toBe('True Draining')
  expect(decision.wakeAt).toBe(noon + 14 * minute)
})

test('the pods that may go are evicted, and no others', () => {
  const pods = {
    a: [aPod('x'), aPod('agent', { controller: 'DaemonSet' }), aPod('job', { finished: true }), aPod('y', { terminating: true })],
  }
  const decision = upgrade({ pods, drain: { gracePeriodSeconds: 20 } }, a.drainedFor('new'), b)

  expect(decision.actions).toEqual([
    { kind: 'evict', node: 'a', pod: { namespace: 'shop', name: 'x', uid: 'uid-x' }, gracePeriodSeconds: 20 },
  ])
  expect(phases(decision)).toEqual({ Draining: 1, Waiting: 1 })
})

test('one pod that nobody consented to lose, and none on the node is evicted', () => {
  const decision = upgrade({ pods: { a: [aPod('x'), aPod('scratch', { emptyDir: true })] } }, a.drainedFor('new'), b)

  expect(done(decision)).toEqual([])
  expect(verdict(decision)).toEqual({
    Ready: 'False DrainBlocked',
    Reconciling: 'False DrainBlocked',
    Stalled: 'True DrainBlocked',
  })
  expect(condition(decision, 'Stalled').message).toBe(
    `"a", drained since ${stamp(noon - minute)}: pod "shop/scratch" has an emptyDir volume, whose data would be lost; allow it with drain: {deleteEmptyDirData: true}, or end the pod yourself; and 1 more pod`,
  )
})

test('a refused pod is asked for again when its time has come, not before', () => {
  const early = upgrade({ pods: { a: [aPod('x', { refusal: kept(noon + 5_000, 'shop') })] } }, a.drainedFor('new'))
  const later = upgrade({ pods: { a: [aPod('x', { refusal: kept(noon, 'shop') })] } }, a.drainedFor('new'))

  expect(done(early)).toEqual([])
  expect(early.wakeAt).toBe(noon + 5_000)
  expect(condition(early, 'Ready')).toMatchObject({ reason: 'Draining' })
  expect(condition(early, 'Ready').message).toContain(
    'pod "shop/x" is kept by PodDisruptionBudget "shop", which needs 4 healthy pods and has 4',
  )
  expect(done(later)).toEqual(['evict a x'])
})

test('a pod that several budgets cover is told of at once: no time will bring its eviction', () => {
  const decision = upgrade({ pods: { a: [aPod('x', { refusal: kept(noon + 5_000, 'one', 'two') })] } }, a.drainedFor('new'))

  expect(verdict(decision).Stalled).toBe('True DrainBlocked')
  expect(condition(decision, 'Stalled').message).toContain('is covered by the PodDisruptionBudgets "one" and "two"')
})

test('a node without pods to wait for is granted what it needs, in one step and whatever the budget', () => {
  const pods = { a: [aPod('agent', { controller: 'DaemonSet' })] }

  expect(done(upgrade({ pods }, a.drainedFor('new'), b))).toEqual(['assign a new drain'])
  expect(done(upgrade({ pods, disruption: 'reboot' }, a.drainedFor('new'), b))).toEqual(['assign a new reboot'])
})

test('a paused pool cordons nobody, and ends the drain that it began', () => {
  const controls = { paused: '' }

  expect(done(upgrade({ controls }, a))).toEqual([])
  expect(done(upgrade({ controls, pods: { a: [aPod('x')] } }, a.drainedFor('new'), b))).toEqual(['evict a x'])
  expect(done(upgrade({ controls, pods: { a: [] } }, a.drainedFor('new'), b))).toEqual(['assign a new drain'])
})

const overdue = { at: noon - 15 * minute }
const stuck = { a: [aPod('x', { refusal: kept(noon, 'shop') })] }

test('an overdue drain that holds goes on trying, and the pool says what blocks it', () => {
  const decision = upgrade({ pods: stuck }, a.drainedFor('new', overdue), b)

  expect(done(decision)).toEqual(['evict a x'])
  expect(phases(decision)).toEqual({ Draining: 1, Waiting: 1 })
  expect(verdict(decision)).toEqual({
    Ready: 'False DrainBlocked',
    Reconciling: 'False DrainBlocked',
    Stalled: 'True DrainBlocked',
  })
  expect(condition(decision, 'Stalled').message).toBe(
    `"a", drained since ${stamp(noon - 15 * minute)}: pod "shop/x" is kept by PodDisruptionBudget "shop", which needs 4 healthy pods and has 4`,
  )
})

test('a drain that begins to block is told of once, as an event', () => {
  const pool = aPool({ stable: 'older', since: noon - minute, disruption: 'drain', pods: stuck }).with(
    a.drainedFor('new', overdue),
    b,
  )
  const first = decide(pool, noon)

  expect(first.notices.filter(({ reason }) => reason === 'DrainBlocked')).toMatchObject([
    { on: { kind: 'pool' }, type: 'Warning' },
  ])
  expect(decide(remembering(pool, first), noon + 5_000).notices).toEqual([])
})

test('an overdue drain that proceeds is granted with the pods that are left', () => {
  expect(done(upgrade({ pods: stuck, drain: { onTimeout: 'Proceed' } }, a.drainedFor('new', overdue)))).toEqual([
    'assign a new drain',
  ])
})

test('an overdue drain that is skipped is uncordoned, and makes room for the others', () => {
  const drain = { onTimeout: 'Skip' as const }
  const decision = upgrade({ pods: stuck, drain }, a.drainedFor('new', overdue), b)

  expect(decision.actions).toEqual([
    { kind: 'uncordon', node: 'a', lifts: true, mark: { digest: 'new', at: noon, state: 'Skipped' } },
  ])
  expect(phases(decision)).toEqual({ Waiting: 1, Skipped: 1 })
  expect(done(upgrade({ drain }, a.drainedFor('new', { at: noon, state: 'Skipped' }), b))).toEqual(['cordon b Ours'])
})

test('a skipped node comes again after another timeout, behind all others', () => {
  const skipped = a.drainedFor('new', { at: noon - 15 * minute, state: 'Skipped' })

  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, skipped, b))).toEqual(['cordon b Ours'])
  expect(done(upgrade({ drain: { onTimeout: 'Skip' } }, skipped))).toEqual(['cordon a Ours'])
})

test('a skipped canary gives its place to another node, or nothing would ever be proved', () => {
  const options = { waves: [aWave('canary', 1)], drain: { onTimeout: 'Skip' as const } }
  const first = upgrade(options, a, b).actions[0]
  const [canary, other] = first?.kind === 'cordon' && first.node === 'a' ? [a, b] : [b, a]

  expect(done(upgrade(options, canary.drainedFor('new', { at: noon, state: 'Skipped' }), other))).toEqual([
    `cordon ${other.name} Ours`,
  ])
})

test('a clock that was put back delays a deadline, and brings none before its time', () => {
  const ahead = a.drainedFor('new', { at: noon + 60 * minute })

  expect(done(upgrade({ pods: { a: [aPod('x')] }, drain: { onTimeout: 'Proceed' } }, ahead))).toEqual(['evict a x'])
})

test('a node is uncordoned when the change holds, and soaks with pods on it', () => {
  const proved = aNode('a')
    .on('new', { at: noon - 30_000 })
    .drainedFor('new')
  const decision = upgrade({ waves: [aWave('canary', 1, { soak: 10 * minute })] }, proved, b)

  expect(done(decision)).toEqual(['uncordon a'])
  expect(phases(decision)).toEqual({ Soaking: 1, Waiting: 1 })
})

test('a pool is not Ready before its last node is uncordoned', () => {
  const proved = aNode('a')
    .on('new', { at: noon - 30_000 })
    .drainedFor('new')
  const decision = upgrade({}, proved, aNode('b').on('new'))

  expect(done(decision)).toEqual(['uncordon a'])
  expect(condition(decision, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Uncordoning',
    message: '2 of 2 nodes are at new; uncordons "a"',
  })
})

test('a node stays cordoned while its agent is at work, and while it is not Ready', () => {
  expect(
    done(
      upgrade(
        {},
        aNode('a')
          .assignedTo('new', { at: noon - 1_000 })
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual([])
  expect(
    done(
      upgrade(
        {},
        aNode('a')
          .on('new', { at: noon - 1_000 })
          .notReady(noon - 500)
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual([])
})

test('a node whose agent is at work stays cordoned when a newer commit needs no drain', () => {
  const atWork = aNode('a')
    .assignedTo('new', { at: noon - 1_000 })
    .drainedFor('new')

  expect(done(upgrade({ head: 'newer', disruption: 'restart' }, atWork, b))).toEqual(['assign a newer restart'])
})

test('a node whose agent put the change back is uncordoned; one that it could not put back is not', () => {
  const pool = { onFailure: 'Halt' as const }

  expect(
    done(
      upgrade(
        pool,
        aNode('a')
          .rolledBackFrom('new', { at: noon - 1_000 })
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual(['uncordon a'])
  expect(
    done(
      upgrade(
        pool,
        aNode('a')
          .assignedTo('new', { at: noon - 1_000 })
          .reporting('Failed', { active: 'older' })
          .drainedFor('new'),
        b,
      ),
    ),
  ).toEqual([])
})

test('a halted pool uncordons what it was about to drain', () => {
  const pool = { onFailure: 'Halt' as const, maxUnavailable: 2, rejected: ['new'] }

  expect(done(upgrade(pool, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('a newer commit that needs no drain uncordons the node, then takes it like any other', () => {
  expect(done(upgrade({ head: 'newer', disruption: 'restart' }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('a newer commit that needs a drain goes on with the one under way', () => {
  expect(done(upgrade({ head: 'newer', pods: { a: [aPod('x')] } }, a.drainedFor('new'), b))).toEqual([
    'cordon a Ours',
    'evict a x',
  ])
  expect(upgrade({ head: 'newer', pods: { a: [aPod('x')] } }, a.drainedFor('new'), b).actions[0]).toMatchObject({
    mark: { digest: 'newer', at: noon - minute },
  })
  expect(done(upgrade({ head: 'newer', pods: { a: [] } }, a.drainedFor('new'), b))).toEqual(['assign a newer drain'])
})

test('a cordoned node is the canary of the newer commit, so that no second one is cordoned for it', () => {
  for (const [cordoned, other] of [
    [a, b],
    [b, a],
  ] as const)
    expect(
      done(
        upgrade(
          { head: 'newer', waves: [aWave('canary', 1)], maxUnavailable: 2, pods: { [cordoned.name]: [] } },
          cordoned.drainedFor('new'),
          other,
        ),
      ),
    ).toEqual([`assign ${cordoned.name} newer drain`])
})

test('nodes under drain whose turn a newer commit takes away are uncordoned', () => {
  const pool = { head: 'newer', waves: [aWave('canary', 1)], maxUnavailable: 2, pods: { a: [], b: [] } }

  expect(done(upgrade(pool, a.drainedFor('new'), b.drainedFor('new'))).map((text) => text.split(' ')[0])).toEqual([
    'uncordon',
    'assign',
  ])
})

test('a revert in the middle of a drain uncordons the node', () => {
  expect(done(upgrade({ head: 'older', history: [] }, a.drainedFor('new'), b))).toEqual(['uncordon a'])
})

test('a node that a person holds in the middle of its drain is uncordoned', () => {
  expect(done(upgrade({}, a.drainedFor('new').held()))).toEqual(['uncordon a'])
})

test('a cordon that somebody else set is never taken back, and the node is left until it is', () => {
  const decision = upgrade({ maxUnavailable: 2 }, a.cordoned(), b)

  expect(done(decision)).toEqual(['cordon b Ours'])
  expect(phases(decision)).toEqual({ Waiting: 1, Skipped: 1 })
  expect(done(upgrade({ maxUnavailable: 2, disruption: 'restart' }, a.cordoned()))).toEqual([])
})

test('a cordon that somebody else set stays when its node is changed by consent', () => {
  const pool = { cordoned: 'Change' as const }
  const found = { state: 'Found' as const }

  expect(done(upgrade({ ...pool, disruption: 'restart' }, a.cordoned()))).toEqual(['assign a new restart'])
  expect(done(upgrade(pool, a.cordoned()))).toEqual(['cordon a Found'])
  expect(done(upgrade({ ...pool, pods: { a: [] } }, a.drainedFor('new', found)))).toEqual(['assign a new drain'])
  expect(
    done(
      upgrade(
        pool,
        aNode('a')
          .on('new', { at: noon - 1_000 })
          .drainedFor('new', found),
        b.cordoned(),
      ),
    ),
  ).toEqual(['unmark a', 'cordon b Found'])
})

test('a person who uncordons a node in the middle of its drain calls the drain off', () => {
  const decision = upgrade({ pods: { a: [aPod('x')] } }, a.drainedFor('new').uncordoned(), b)

  expect(decision.actions[0]).toEqual({
    kind: 'uncordon',
    node: 'a',
    lifts: false,
    mark: { digest: 'new', at: noon, state: 'Released' },
  })
  expect(done(upgrade({}, a.drainedFor('new', { at: 0, state: 'Released' })))).toEqual([])
  expect(done(upgrade({ head: 'newer' }, a.drainedFor('new', { at: 0, state: 'Released' })))).toEqual(['cordon a Ours'])
})

test('a person who uncordoned a node for an older change does not mean the newer one', () => {
  expect(done(upgrade({ head: 'newer' }, a.drainedFor('new').uncordoned()))).toEqual(['unmark a'])
})

test('a person who takes away their own cordon leaves the node like any other', () => {
  expect(done(upgrade({ cordoned: 'Change' }, a.drainedFor('new', { state: 'Found' }).uncordoned()))).toEqual(['unmark a'])
})

test('a pause ends a drain for what came after it: that would be a beginning', () => {
  expect(done(upgrade({ head: 'newer', controls: { paused: '' }, pods: { a: [] } }, a.drainedFor('new')))).toEqual(['uncordon a'])
})

test('a person who cordons again a node whose drain was called off has it for their own', () => {
  expect(done(upgrade({}, a.drainedFor('new', { state: 'Released' }).cordoned()))).toEqual([])
})

test('a broken node that somebody cordoned is mended all the same', () => {
  const broken = aNode('a').rolledBackFrom('bad').cordoned()

  expect(done(upgrade({ disruption: 'restart', history: [] }, broken))).toEqual(['assign a new restart'])
})

test('an outage is not drained: its pods could not end; it comes when the node is back', () => {
  const decision = upgrade({ maxUnavailable: 2 }, a.notReady(), b)

  expect(done(decision)).toEqual(['cordon b Ours'])
  expect(phases(decision)).toEqual({ Waiting: 1, Unreachable: 1 })
})

test('a node that the roll-out left not Ready is mended before it is uncordoned', () => {
  const left = aNode('a')
    .rolledBackFrom('new', { at: noon - minute })
    .notReady()
    .drainedFor('new')

  expect(done(upgrade({ head: 'newer', disruption: 'restart' }, left, b))).toEqual(['assign a newer restart'])
})

test('a node that the roll-out left not Ready, and that a person uncordoned, is mended and not cordoned again', () => {
  const fallen = aNode('a')
    .assignedTo('bad', { at: noon - 2 * minute })
    .notReady()
    .drainedFor('new')
    .uncordoned()
  const stale = aNode('a')
    .assignedTo('bad', { at: noon - 2 * minute })
    .notReady()
    .drainedFor('bad')
    .uncordoned()

  expect(done(upgrade({}, fallen, b))).toEqual(['assign a new drain'])
  expect(done(upgrade({}, stale, b))).toEqual(['cordon a Ours'])
})

test('a node that the roll-out left not Ready is mended without a drain', () => {
  expect(
    done(
      upgrade(
        { head: 'newer' },
        aNode('a')
          .rolledBackFrom('new', { at: noon - minute })
          .notReady(),
      ),
    ),
  ).toEqual(['assign a newer drain'])
})

test('a node that a minute ago was at work and is not Ready is drained: it may well come back by itself', () => {
  expect(
    done(
      upgrade(
        { head: 'newer' },
        aNode('a')
          .assignedTo('new', { at: noon - minute })
          .notReady(),
      ),
    ),
  ).toEqual(['cordon a Ours'])
})

test('nodes that are down and use up the budget try the change without a drain', () => {
  expect(done(upgrade({}, a.notReady(noon - 15 * minute), b))).toEqual(['assign a new drain'])
  expect(done(upgrade({}, a.notReady(noon - 14 * minute), b))).toEqual([])
  expect(upgrade({}, a.notReady(noon - 14 * minute), b).wakeAt).toBe(noon + minute)
})

test('an agent that finds it needs a drain gets it, and then the greater grant', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'drain', active: 'older' })

  expect(done(upgrade({ disruption: 'restart' }, blocked, b))).toEqual(['cordon a Ours'])
  expect(done(upgrade({ disruption: 'restart', pods: { a: [aPod('x')] } }, blocked.drainedFor('new'), b))).toEqual(['evict a x'])
  expect(done(upgrade({ disruption: 'restart', pods: { a: [] } }, blocked.drainedFor('new'), b))).toEqual(['assign a new drain'])
})

test('an agent that waits for a greater grant disturbs nothing yet, and gets it within the budget', () => {
  const blocked = (name: string) =>
    aNode(name)
      .assignedTo('new', { at: noon - minute })
      .reporting('Blocked', { needs: 'drain', active: 'older' })

  expect(done(upgrade({ disruption: 'restart' }, blocked('a'), blocked('b')))).toHaveLength(1)
  expect(done(upgrade({ disruption: 'restart', drain: 'Never' }, blocked('a'), blocked('b')))).toHaveLength(1)
  expect(done(upgrade({ disruption: 'restart' }, blocked('a'), b.notReady(noon - minute)))).toEqual(['assign b new restart'])
})

test('an agent that waits for its drain does not fail by its deadline', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - 20 * minute })
    .reporting('Blocked', { needs: 'reboot', active: 'older' })
  const decision = upgrade({ since: noon - 30 * minute, pods: { a: [aPod('x')] } }, blocked.drainedFor('new'), b)

  expect(phases(decision)).toEqual({ Draining: 1, Waiting: 1 })
  expect(decision.status.rejected).toEqual([])
})

test('an agent gets a greater grant at once when the policy never drains', () => {
  const blocked = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'reboot' })

  expect(done(upgrade({ drain: 'Never' }, blocked))).toEqual(['assign a new reboot'])
})

test('nodes that join are drained within the budget, and need none where no drain comes first', () => {
  const pool = { stable: 'older', head: 'older', since: undefined, maxUnavailable: 1 } as const
  const joining = [aNode('x'), aNode('y')]
  const first = (disruption: 'drain' | 'restart') => {
    const draft = aPool({ stable: pool.stable, head: pool.head, maxUnavailable: 1, wants: {}, disruption }).with(...joining)
    return decide(draft, noon).actions.map(({ kind }) => kind)
  }

  expect(first('restart')).toEqual(['assign', 'assign'])
  expect(first('drain')).toEqual(['cordon'])
})

test('what blocks the longest is told first', () => {
  const pods = { a: [aPod('x', { emptyDir: true })], b: [aPod('y', { emptyDir: true })] }
  const decision = upgrade({ pods, maxUnavailable: 2 }, a.drainedFor('new'), b.drainedFor('new', { at: noon - 2 * minute }))

  expect(condition(decision, 'Stalled').message).toMatch(/^"b", drained since .*; and 1 more$/)
})
