import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decider } from '../../src/controller/decider.ts'
import { decideFleet } from '../../src/rollout/decide-fleet.ts'
import type { Decision } from '../../src/rollout/model/decision.ts'
import type { NodeView } from '../../src/rollout/model/node-view.ts'
import { type Controls, NO_MEMORY, type PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { minute, noon } from '../rollout/builders/instants.ts'
import { aNode } from '../rollout/builders/nodes.ts'
import { aWave } from '../rollout/builders/policies.ts'
import { aPool } from '../rollout/builders/pools.ts'

const NODES = 6
const waves = [aWave('canary', 1, { soak: minute }), aWave('rest', '100%')]

/** What may happen between two passes. A node is given by its index, of both pools. */
const event = fc.oneof(
  fc.record({
    kind: fc.constant('work' as const),
    node: fc.nat(NODES - 1),
    phase: fc.constantFrom('Applying', 'Applied', 'RolledBack'),
  }),
  fc.record({ kind: fc.constant('ready' as const), node: fc.nat(NODES - 1), ready: fc.boolean() }),
  fc.record({ kind: fc.constant('hold' as const), node: fc.nat(NODES - 1), hold: fc.boolean() }),
  fc.record({ kind: fc.constant('assign' as const), pool: fc.nat(1) }),
  fc.record({ kind: fc.constant('pause' as const), isPaused: fc.boolean() }),
  fc.record({
    kind: fc.constant('control' as const),
    pool: fc.nat(1),
    control: fc.constantFrom('paused', 'promoted', 'retry', 'rollback', 'reconcileAt'),
    value: fc.constantFrom('new', 'older', undefined),
  }),
  fc.record({
    kind: fc.constant('edit' as const),
    pool: fc.nat(1),
    lost: fc.constantFrom('wave', 'stable', 'observedControls', 'rollback'),
  }),
  fc.record({ kind: fc.constant('recreate' as const), pool: fc.nat(1) }),
  fc.record({ kind: fc.constant('time' as const), passes: fc.constantFrom(1, 1_000, 45_000, minute, 20 * minute) }),
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

interface Fleet {
  readonly now: number
  readonly isPaused: boolean
  readonly pools: readonly PoolSnapshot[]
}

test('a Decider decides as if it had no memory, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const decider = new Decider()
      let fleet = start()
      for (const each of events) {
        fleet = after(fleet, each)
        const { decisions } = decider.decide(inputOf(fleet), fleet.now)
        expect(decisions).toEqual(decideFleet(inputOf(fleet), fleet.now))
        fleet = { ...fleet, pools: fleet.pools.map((pool) => withStatus(pool, decisions.get(pool.name))) }
      }
    }),
    { numRuns: 300 },
  )
})

function start(): Fleet {
  const pools = ['a', 'b'].map((name) => {
    const members = Array.from({ length: NODES / 2 }, (_, index) => aNode(`${name}-${index}`).on('older'))
    return { ...aPool({ stable: 'older', waves, since: noon - minute }).with(...members), name }
  })
  return { now: noon, isPaused: false, pools }
}

function inputOf({ pools, isPaused }: Fleet) {
  return { pools, policy: { maxUnavailable: { count: 2 } }, controls: isPaused ? { paused: 'a test' } : {} }
}

/** Only what changes is another object, as in the caches of the controller. */
function after(fleet: Fleet, each: Event): Fleet {
  if (each.kind === 'time') return { ...fleet, now: fleet.now + each.passes }
  if (each.kind === 'pause') return { ...fleet, isPaused: each.isPaused }
  const of = 'pool' in each ? each.pool : Math.floor(each.node / (NODES / 2))
  return { ...fleet, pools: fleet.pools.map((pool, index) => (index === of ? withChange(pool, { fleet, each }) : pool)) }
}

function withChange(pool: PoolSnapshot, { fleet, each }: { readonly fleet: Fleet; readonly each: Event }): PoolSnapshot {
  if (each.kind === 'assign') return withAssignments(pool, { fleet })
  if (each.kind === 'control') return { ...pool, controls: withControl(pool.controls, each) }
  // Another writer of the status, and somebody who deletes the NodePool, which is made again.
  if (each.kind === 'edit') return { ...pool, memory: without(pool.memory, each.lost) }
  if (each.kind === 'recreate') return { ...pool, memory: NO_MEMORY, controls: {} }
  return withNode(pool, { fleet, each })
}

function withControl(controls: Controls, { control, value }: Extract<Event, { kind: 'control' }>): Controls {
  return value === undefined ? without(controls, control) : { ...controls, [control]: value }
}

function without<T extends object>(object: T, field: string): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field)) as T
}

/** A status that says nothing new is not written: then the pool is the same object. */
function withStatus(pool: PoolSnapshot, decision: Decision | undefined): PoolSnapshot {
  const isWritten = decision === undefined || isDeepStrictEqual(decision.status, pool.memory)
  return isWritten ? pool : { ...pool, memory: decision.status }
}

/** What the decision assigns arrives in the cluster. */
function withAssignments(pool: PoolSnapshot, { fleet }: { readonly fleet: Fleet }): PoolSnapshot {
  const decision = decideFleet(inputOf(fleet), fleet.now).get(pool.name)
  if (!decision) return pool
  const assigned = new Map(
    decision.actions.flatMap((action) => (action.kind === 'assign' ? [[action.node, action] as const] : [])),
  )
  const nodes = pool.nodes.map((node): NodeView => {
    const action = assigned.get(node.name)
    if (!action) return node
    const { digest, revision, grant, at } = action
    return { ...node, assigned: { digest, revision, grant, at, pool: pool.name } }
  })
  return { ...pool, nodes }
}

function withNode(pool: PoolSnapshot, { fleet: { now }, each }: { readonly fleet: Fleet; readonly each: Event }): PoolSnapshot {
  if (!('node' in each)) return pool
  const nodes = pool.nodes.map((node, index) => (index === each.node % (NODES / 2) ? changed(node, { each, now }) : node))
  return { ...pool, nodes }
}

function changed(node: NodeView, { each, now }: { readonly each: Event; readonly now: number }): NodeView {
  if (each.kind === 'ready') return each.ready === node.ready ? node : { ...node, ready: each.ready, readySince: now }
  if (each.kind === 'hold') {
    const { hold, ...rest } = node
    return each.hold ? { ...rest, hold: 'a test' } : rest
  }
  if (each.kind !== 'work' || !node.assigned) return node
  const { digest, at } = node.assigned
  const stamps = { since: new Date(now).toISOString(), ...(at !== undefined && { assignedAt: new Date(at).toISOString() }) }
  const error = { reason: 'HealthCheckFailed', message: 'a test' }
  const status = {
    phase: each.phase,
    digest,
    assigned: digest,
    attempts: 1,
    ...stamps,
    ...(each.phase === 'RolledBack' && { error }),
  }
  return { ...node, status: status as NonNullable<NodeView['status']> }
}
