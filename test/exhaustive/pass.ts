import type { decideFleet } from '../../src/rollout/decide-fleet.ts'
import type { Action, Decision } from '../../src/rollout/model/decision.ts'
import type { Memory } from '../../src/rollout/model/snapshot.ts'
import type { Observed } from '../scenarios/fast/controller.ts'
import { isSameMemory } from './memory-key.ts'
import type { Scope } from './scope.ts'
import { shownOf, snapshotOf } from './snapshot.ts'
import { isReady, type NodeState, type State, withNode, withPool } from './state.ts'

const MINUTE = 60_000
const NO_GATES: ReadonlySet<string> = new Set()

export type Decide = typeof decideFleet

/** What the controller decides in this state. It remembers nothing but the statuses. */
export function decideIn(state: State, { scope, decide }: { readonly scope: Scope; readonly decide: Decide }): Observed {
  const fleet = snapshotOf(state, scope)
  return { fleet, at: state.now, decisions: decide(fleet, state.now), isNews: true, held: NO_GATES }
}

/** One request of a pass. Each pool's status comes before its actions. */
export type Write =
  | { readonly kind: 'status'; readonly pool: string; readonly status: Decision['status'] }
  | { readonly kind: 'action'; readonly pool: string; readonly action: Action }

export function writesOf({ decisions }: Observed, state: State): readonly Write[] {
  return [...decisions].flatMap(([pool, { status, actions }]): Write[] => {
    const memory = state.pools.find(({ name }) => name === pool)?.memory
    const isSame = memory !== undefined && isSameMemory(memory, status)
    return [
      ...(isSame ? [] : [{ kind: 'status', pool, status } as const]),
      ...actions.map((action) => ({ kind: 'action', pool, action }) as const),
    ]
  })
}

/** What the API server has after these writes, a minute later: all instants lie on whole minutes, so that many states are the same but for when they are. */
export function written(state: State, writes: readonly Write[]): State {
  const next = writes.reduce(write, state)
  const nodes = next.nodes.map(({ seenAs, ...node }) => node)
  return { ...next, nodes, now: next.nodes === state.nodes ? state.now : state.now + MINUTE }
}

/** Decisions see this node as it would be if the write to it had been made. */
export function assumed(state: State, made: State, name: string): State {
  const node = made.nodes.find((each) => each.name === name)
  return node ? withNode({ ...state, now: made.now }, name, (real) => ({ ...real, seenAs: shownOf(node) })) : state
}

function write(state: State, request: Write): State {
  if (request.kind === 'status') return withPool(state, request.pool, (pool) => ({ ...pool, memory: memoryOf(request.status) }))
  const { action, pool } = request
  if (action.kind === 'clearControl')
    return withPool(state, pool, ({ controls: { [action.control]: _, ...controls }, ...rest }) => ({ ...rest, controls }))
  if (action.kind === 'clearReboot') return withNode(state, action.node, ({ rebootRequest: _, ...node }) => node)
  if (action.kind !== 'assign') throw new Error(`a fleet without drains and gates has no action "${action.kind}"`)
  return withNode(state, action.node, (node) => (node.seenAs ? node : assigned(node, { action, pool })))
}

/** The API server refuses a write to a node that was seen as it is no more: then it stays as it is. */
function assigned(
  node: NodeState,
  { action, pool }: { readonly action: Extract<Action, { kind: 'assign' }>; readonly pool: string },
): NodeState {
  const { digest, revision, grant, at, reboot, nodeWas } = action
  const given = { digest, revision, grant, at, pool, ...(reboot && { reboot }), ...(nodeWas && { nodeWas }) }
  return { ...node, assigned: given, wasSound: isReady(node) }
}

/** Frozen statuses are shared by many states. */
function memoryOf(status: Decision['status']): Memory {
  return status
}
