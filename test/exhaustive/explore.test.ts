import { expect, test } from 'vitest'
import { decideFleet, type FleetSnapshot } from '../../src/rollout/decide-fleet.ts'
import { NO_MEMORY, type PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { type Explored, explore } from './explore.ts'
import { keyOf } from './key.ts'
import { isSameMemory } from './memory-key.ts'
import type { Decide } from './pass.ts'
import { type Scope, type Size, scopesOf } from './scope.ts'

const ONE_POOL = { pools: 1, nodes: 2 }
const SCOPES: readonly (readonly [string, Size])[] = [
  ['canary, crash', { ...ONE_POOL, faults: 1 }],
  ['canary, ruin, halt', { ...ONE_POOL, faults: 0 }],
  ['good twice', { ...ONE_POOL, faults: 0 }],
  ['promotion', { ...ONE_POOL, faults: 0 }],
  ['manual', { ...ONE_POOL, faults: 0 }],
  ['manual first', { ...ONE_POOL, faults: 0 }],
  ['reboots', { ...ONE_POOL, faults: 0 }],
  ['reboot asked', { ...ONE_POOL, faults: 2 }],
  ['reboots, ruin', { ...ONE_POOL, faults: 0 }],
  ['replaced machines', { pools: 1, nodes: 1, faults: 1 }],
  ['canary, crash', { pools: 2, nodes: 2, faults: 0 }],
  ['fleet budget', { pools: 2, nodes: 2, faults: 0 }],
  ['depends', { pools: 2, nodes: 2, faults: 0 }],
  ['fleet stop', { pools: 2, nodes: 2, faults: 0 }],
]

test.each(SCOPES)(
  'every state of the fleet "%s" with %o keeps the rules and has a way to rest, and the same follows of those with the same key',
  (name, size) => {
    const { states, atRest, twins, ...explored } = explore(scopeOf(name, size), { twins: 10 })
    console.log(`${name}, ${JSON.stringify(size)}: ${states} states, ${atRest} at rest, ${twins} compared`)
    expect({ complete: explored.complete, wrong: describe(explored) }).toEqual({ complete: true, wrong: undefined })
    expect(twins).toBeGreaterThan(0)
    // Some seconds of one processor on a quiet machine; it never waits for anything else.
  },
  180_000,
)

test('a key that leaves out what is read is found', () => {
  const { wrong } = explore(scopeOf('canary, crash', { ...ONE_POOL, faults: 1 }), {
    twins: 1,
    keyOf: ({ nodes, ...state }, scope) => keyOf({ ...state, nodes: nodes.map((node) => ({ ...node, silent: false })) }, scope),
  })
  expect(wrong?.claim).toContain('of states that have the same key the same follows')
})

test('a status is the same again when its pool has begun no rollout', () => {
  expect(isSameMemory(NO_MEMORY, { ...NO_MEMORY })).toBe(true)
})

/** The same decision about another fleet than the one that is there: a fault of one rule. */
function fault(change: (pool: PoolSnapshot) => Partial<PoolSnapshot>): Decide {
  return (fleet: FleetSnapshot, now) =>
    decideFleet({ ...fleet, pools: fleet.pools.map((pool) => ({ ...pool, ...change(pool) })) }, now)
}

const greedy = fault(({ policy }) => ({ policy: { ...policy, maxUnavailable: { count: 2 } } }))
const hasty = fault(({ controls, head }) => ({ controls: { ...controls, promoted: head.revision } }))
const widened = fault(({ policy }) => ({ policy: { ...policy, waves: [], maxUnavailable: { count: 2 } } }))
const forgetful = fault(({ memory }) => ({ memory: { ...memory, rejected: [] } }))
const carefree = fault(({ memory }) => ({
  memory: { ...memory, history: memory.history.map(({ laterFailures: _, ...run }) => run) },
}))
const dizzy = fault(({ nodes }) => ({
  nodes: nodes.map((node) => {
    const { assigned } = node
    return assigned?.reboot ? { ...node, assigned: { ...assigned, reboot: { boot: assigned.reboot.boot } } } : node
  }),
}))
const deaf = fault(({ controls: { paused: _, ...controls } }) => ({ controls }))

test.each([
  ['a budget that is off by one', greedy, 'canary, crash', 1, 'maxUnavailable'],
  ['a rollout without waves', widened, 'good twice', 0, 'more'],
  ['a wave that opens without promotion', hasty, 'manual', 0, 'manual wave'],
  ['a pause that is not read', deaf, 'canary, crash', 1, 'paused pool'],
  ['a rejection that is forgotten', forgetful, 'canary, crash', 0, 'rest'],
  ['a machine that is forgotten with its failure', carefree, 'replaced machines', 0, 'remembered when it is gone'],
  ['an order to reboot whose request is forgotten', dizzy, 'reboot asked', 1, 'once for each request'],
] as const)('exploration finds %s', (_, decide, name, faults, claim) => {
  const { wrong } = explore(scopeOf(name, { ...ONE_POOL, faults }), { decide })
  expect(wrong?.claim).toContain(claim)
})

test('exploration tells the shortest story that leads to a wrong state', () => {
  const { wrong } = explore(scopeOf('manual', { ...ONE_POOL, faults: 0 }), { decide: hasty })
  expect(wrong?.story).toEqual(['push crash', 'push good', 'pass (a: RollingOut, a0 := good)', 'a0: Applied good', '120 s pass'])
})

function scopeOf(name: string, size: Size): Scope {
  const scope = scopesOf(size).find((each) => each.name === name)
  if (!scope) throw new Error(`no scope "${name}"`)
  return scope
}

function describe({ wrong }: Pick<Explored, 'wrong'>): string | undefined {
  return wrong && [...wrong.story, wrong.claim].join('\n')
}
