import { describe, expect, test } from 'vitest'
import { policyViolation } from '../../../src/rollout/ceilings/policy-violation.ts'
import { decide } from '../../../src/rollout/decide.ts'
import type { Ceiling, CeilingRule } from '../../../src/rollout/model/ceiling.ts'
import type { NodeTarget, PoolSnapshot } from '../../../src/rollout/model/snapshot.ts'
import { assignments, condition, selected } from '../builders/decisions.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const TEN = nodes('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
const old = TEN.map((node) => node.on('older'))

function rule(limits: Partial<CeilingRule>): CeilingRule {
  return { place: 'spec.rules[0]', ...limits }
}

function under(pool: PoolSnapshot, ...rules: CeilingRule[]): PoolSnapshot {
  const ceiling: Ceiling = { rules }
  return { ...pool, ceiling, places: { maxUnavailable: 'fleet.yaml:4', waves: 'workers.yaml:7' } }
}

describe('maxUnavailable', () => {
  test.each([
    [{ maxUnavailable: 3 }, { count: 2 }, true],
    [{ maxUnavailable: 2 }, { count: 2 }, false],
    [{ maxUnavailable: '50%' as const }, { percent: 20 }, true],
    [{ maxUnavailable: '25%' as const }, { percent: 20 }, false],
    [{ maxUnavailable: 1 }, { percent: 5 }, false],
    [{ maxUnavailable: 1 }, { count: 0 }, false],
  ] as const)('a pool of ten nodes with %o under a ceiling of %o exceeds it: %s', (options, maxUnavailable, exceeds) => {
    const pool = under(aPool(options).with(...old), rule({ maxUnavailable }))
    expect(policyViolation(pool, pool.ceiling as Ceiling) !== undefined).toBe(exceeds)
  })

  test('a pool that exceeds it changes no node, and says which field, where, the limit and the remedy', () => {
    const pool = under(aPool({ stable: 'older', maxUnavailable: '50%' }).with(...old), rule({ maxUnavailable: { percent: 20 } }))
    const decision = decide(pool, noon)
    expect(selected(decision)).toEqual([])
    expect(condition(decision, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'CeilingExceeded',
      message:
        'rollout.maxUnavailable of pool "workers" (fleet.yaml:4) is 50%, 5 of 10 nodes; at most 20% is allowed; ' +
        'change it in the repository, or ask an administrator to change spec.rules[0].maxUnavailable of the Ceiling "fleet"',
    })
  })

  test('what has started goes on, and nothing new begins', () => {
    const [a, ...rest] = TEN
    if (!a) throw new Error('no node')
    const options = { stable: 'older', maxUnavailable: '50%' as const, since: noon - minute }
    const pool = aPool(options).with(a.assignedTo('new', { at: noon - minute }), ...rest.map((node) => node.on('older')))
    expect(assignments(decide(under(pool, rule({ maxUnavailable: { count: 1 } })), noon))).toEqual([])
  })
})

describe('disruption', () => {
  const asking = aNode('a')
    .assignedTo('new', { at: noon - minute })
    .reporting('Blocked', { needs: 'reboot', active: 'older' })
  const poolOf = (needs: Partial<PoolOptions> = {}) =>
    aPool({ stable: 'older', since: noon - 2 * minute, drain: 'Never', ...needs }).with(asking, aNode('b').on('older'))

  test('an agent that asks for more than a rule allows does not get it, and the pool says which node, the limit and the remedy', () => {
    const decision = decide(under(poolOf(), rule({ disruption: 'restart' })), noon)
    expect(assignments(decision)).toEqual(['b → new'])
    expect(condition(decision, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'CeilingExceeded',
      message:
        'the agent of "a" asks for more: the change needs "reboot", and at most "restart" is allowed; ' +
        'change it in the repository, or ask an administrator to change spec.rules[0].disruption of the Ceiling "fleet"',
    })
  })

  test('an agent gets what no rule for its node forbids', () => {
    const others = rule({ nodeSelector: { matchLabels: { tier: 'front' } }, disruption: 'none' })
    const decision = decide(under(poolOf({ maxUnavailable: 1 }), others, rule({ disruption: 'reboot' })), noon)
    expect(assignments(decision)).toEqual(['a → new'])
  })

  test('a node whose agent asks for more than a rule allows does not fail while it waits, and is not cordoned', () => {
    const late = asking.assignedTo('new', { at: noon - hour }).reporting('Blocked', { needs: 'reboot', active: 'older' })
    const pool = aPool({ stable: 'older', since: noon - 2 * hour }).with(late)
    const decision = decide(under(pool, rule({ disruption: 'restart' })), noon)
    expect(decision.actions).toEqual([])
    expect(decision.status.rejected).toEqual([])
  })
})

describe('firstWave', () => {
  const firstWave = { nodes: 2, soak: 10 * minute }
  const canary = (nodes: number, soak: number) => aWave('canary', nodes, { soak })
  test.each([
    ['a canary that is small and soaks', [canary(2, 10 * minute)], false],
    ['a canary that is too large', [canary(3, 10 * minute)], true],
    ['a canary that soaks too short', [canary(2, 9 * minute)], true],
    ['no waves', [], true],
    ['a canary without nodes before all the others', [aWave('none', '5%', { soak: 60 * minute }), aWave('all', '100%')], true],
    ['a canary without nodes before one that is right', [aWave('none', '5%'), canary(1, 10 * minute)], false],
  ])('a pool with %s exceeds it: %#', (_, waves, exceeds) => {
    const pool = under(aPool({ waves }).with(...old), rule({ firstWave }))
    expect(policyViolation(pool, pool.ceiling as Ceiling) !== undefined).toBe(exceeds)
  })

  test.each([
    ['of the pool', '100%', undefined, true],
    ['of the pool, as many as the wave has', 2, undefined, true],
    ['of the pool, fewer than the wave has', 1, undefined, false],
    ['of the pool, and of the wave none', '100%', { count: 0 }, false],
    ['of the pool and of the wave', '100%', { percent: 100 }, true],
  ] as const)('a canary may not be tolerated to fail as a whole: failures %s', (_, ofPool, ofWave, exceeds) => {
    const waves = [aWave('canary', 2, { soak: 10 * minute, ...(ofWave !== undefined && { maxFailures: ofWave }) })]
    const pool = under(aPool({ waves, maxFailures: ofPool }).with(...old), rule({ firstWave }))
    expect(policyViolation(pool, pool.ceiling as Ceiling)?.includes('tolerates') ?? false).toBe(exceeds)
  })

  test.each([
    ['one', { tier: 'canary' }, false],
    ['none: then the next wave is the first', { tier: 'nobody' }, true],
  ])('a canary by labels that selects %s is measured by its nodes', (_, matchLabels, exceeds) => {
    const [a, ...rest] = old
    if (!a) throw new Error('no node')
    const members = [{ ...a, labels: { tier: 'canary' } }, ...rest]
    const waves = [{ name: 'canary', nodes: { matchLabels }, soak: 10 * minute, manual: false }]
    const pool = under({ ...aPool().with(...members), policy: { ...aPool().with().policy, waves } }, rule({ firstWave }))
    expect(policyViolation(pool, pool.ceiling as Ceiling) !== undefined).toBe(exceeds)
  })

  test('a pool that is no larger than the first wave needs none', () => {
    const pool = under(aPool().with(...old.slice(0, 2)), rule({ firstWave }))
    expect(policyViolation(pool, pool.ceiling as Ceiling)).toBeUndefined()
  })

  test('the message names the wave, what is demanded and the remedy', () => {
    const pool = under(aPool({ waves: [canary(3, minute)] }).with(...old), rule({ firstWave }))
    expect(policyViolation(pool, pool.ceiling as Ceiling)).toBe(
      'the first wave of pool "workers" (workers.yaml:7) has 3 nodes and a soak of 60s; at most 2 nodes and a soak of 600s are demanded; ' +
        'change it in the repository, or ask an administrator to change spec.rules[0].firstWave of the Ceiling "fleet"',
    )
  })
})

test('a rule counts for the pools of which it selects a node, by whatever name they go', () => {
  const labelled = old.map((node, index) => (index === 0 ? { ...node, labels: { tier: 'production' } } : node))
  const limits = rule({ nodeSelector: { matchLabels: { tier: 'production' } }, maxUnavailable: { count: 1 } })
  const of = (members: PoolSnapshot['nodes']) =>
    policyViolation(under(aPool({ maxUnavailable: 5 }).with(...members)), { rules: [limits] })
  expect([of(labelled) !== undefined, of(old)]).toEqual([true, undefined])
})

test('content that a ceiling forbids for one node holds the whole pool', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 5 }).with(...old)
  const forbidden: NodeTarget = { kind: 'problem', reason: 'CeilingExceeded', message: 'path "/etc/sudoers" is forbidden' }
  const wanted = new Map([...pool.head.wanted, ['j', forbidden]])
  const decision = decide(under({ ...pool, head: { ...pool.head, wanted } }), noon)
  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled')).toMatchObject({
    reason: 'CeilingExceeded',
    message: 'node "j": path "/etc/sudoers" is forbidden',
  })
})

test('a ceiling that cannot be read allows nothing', () => {
  const pool = aPool({ stable: 'older' }).with(...old)
  const decision = decide({ ...pool, ceiling: { rules: [], unreadable: 'spec.rules: malformed' } }, noon)
  expect(selected(decision)).toEqual([])
  expect(condition(decision, 'Stalled').reason).toBe('CeilingExceeded')
})

test('a pool within its ceiling goes on as without one', () => {
  const pool = aPool({ stable: 'older', maxUnavailable: 2 }).with(...old)
  expect(selected(decide(under(pool, rule({ maxUnavailable: { count: 2 } })), noon))).toEqual(selected(decide(pool, noon)))
  expect(selected(decide(pool, noon))).not.toEqual([])
})

test('a node alone is always allowed', () => {
  const pool = aPool({ stable: 'older' }).with(aNode('a').on('older'))
  expect(selected(decide(under(pool, rule({ maxUnavailable: { percent: 1 } })), noon))).toHaveLength(1)
})

describe('going back', () => {
  const limits = rule({ maxUnavailable: { count: 2 }, firstWave: { nodes: 1, soak: 10 * minute } })
  const history = [aRollout('new', { result: 'Completed' }), aRollout('older', { result: 'Completed', startedAt: noon - hour })]
  const asked = {
    stable: 'new',
    history,
    controls: { rollback: '', by: { rollback: { who: 'ada', at: '2026-11-21T11:59:00Z' } } },
  }
  const failed = { stable: 'older', rejected: ['new'] }
  const poolOf = (options: PoolOptions) => under(aPool(options).with(...TEN.map((node) => node.on('new'))), limits)

  test('a commit that reverts to what the pool completed is measured like any other', () => {
    const decision = decide(poolOf({ head: 'older', stable: 'older', history, maxUnavailable: 5 }), noon)
    expect(assignments(decision)).toEqual([])
    expect(condition(decision, 'Stalled').reason).toBe('CeilingExceeded')
  })

  test.each([
    ['because a person says so', asked],
    ['because its commit failed', failed],
  ])('a pool that exceeds the Ceiling rolls back %s, and the limit of the Ceiling holds on the way', (_, options) => {
    const contents = (maxUnavailable: PoolOptions['maxUnavailable']) =>
      assignments(decide(poolOf({ ...options, ...(maxUnavailable && { maxUnavailable }) }), noon)).map((line) => line.slice(2))
    expect(contents('100%')).toEqual(['→ older', '→ older'])
    expect(contents(1)).toEqual(['→ older'])
  })

  test('a pool that exceeds the Ceiling does not roll back to what it never completed', () => {
    const never = aRollout('older', { result: 'Superseded', startedAt: noon - hour })
    const controls = { ...asked.controls, rollback: 'older' }
    expect(selected(decide(poolOf({ ...asked, controls, history: [never], maxUnavailable: '100%' }), noon))).toEqual([])
  })

  test('a pool does not roll back to what the Ceiling forbids by now', () => {
    const pool = poolOf({ ...failed, maxUnavailable: '100%' })
    const forbidden: NodeTarget = { kind: 'problem', reason: 'CeilingExceeded', message: 'path "/etc/sudoers" is forbidden' }
    const known = new Map(
      [...pool.known].map(([name, revision]) => {
        return [name, { ...revision, wanted: new Map([...revision.wanted, ['j', forbidden]]) }]
      }),
    )
    expect(selected(decide({ ...pool, known }, noon))).toEqual([])
  })

  test('a Ceiling that cannot be read lets no pool roll back', () => {
    expect(selected(decide({ ...poolOf(failed), ceiling: { rules: [], unreadable: 'spec: malformed' } }, noon))).toEqual([])
  })
})
