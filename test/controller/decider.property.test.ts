import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decider } from '../../src/controller/decider.ts'
import { decideFleet } from '../../src/rollout/decide-fleet.ts'
import type { Decision } from '../../src/rollout/model/decision.ts'
import type { NodeView } from '../../src/rollout/model/node-view.ts'
import type { PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import { aNode, aPool, aWave, minute, noon } from '../rollout/builders.ts'

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
  const of = each.kind === 'assign' ? each.pool : Math.floor(each.node / (NODES / 2))
  const change = each.kind === 'assign' ? withAssignments : withNode
  return { ...fleet, pools: fleet.pools.map((pool, index) => (index === of ? change(pool, { fleet, each }) : pool)) }
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
