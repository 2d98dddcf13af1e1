import type { AgentStatus } from '../../src/protocol/agent-status.ts'
import type { RebootRequest } from '../../src/protocol/reboot-order.ts'
import type { FleetControls } from '../../src/rollout/decide-fleet.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { Assignment, NodeView } from '../../src/rollout/model/node-view.ts'
import { type Memory, NO_MEMORY, type PoolSnapshot } from '../../src/rollout/model/snapshot.ts'
import type { Content, Scope } from './scope.ts'

/** A node: what the API server shows of it, and what is really so. */
export interface NodeState {
  readonly name: string
  readonly pool: string
  readonly createdAt: Instant
  readonly readySince: Instant
  /** It has power and network. */
  readonly up: boolean
  /** A content has spoilt it: it is not Ready before it runs another one. */
  readonly ruined: boolean
  /** Its machine goes through a reboot; the boot that follows has the next number. */
  readonly rebooting: boolean
  readonly boot: number
  /** An operator asks for the end of this boot. */
  readonly rebootRequest?: RebootRequest
  /** Its agent does nothing. */
  readonly silent: boolean
  readonly unschedulable: boolean
  readonly held: boolean
  /** The content that it runs. */
  readonly active: string
  readonly assigned?: Assignment
  readonly status?: AgentStatus
  /** It served when it got what it is assigned: it counts for the exposure of that content. */
  readonly wasSound: boolean
  /** What decisions see in its place, until the watch tells: a write that got no answer, and was not made. */
  readonly seenAs?: NodeView
}

export interface PoolState {
  readonly name: string
  readonly memory: Memory
  readonly controls: PoolSnapshot['controls']
  /** The content that an operator has promoted, for as long as that counts. */
  readonly promoted?: string
}

/** All that there is. Never changed: each event makes another one, which shares what stayed the same. */
export interface State {
  readonly now: Instant
  readonly nodes: readonly NodeState[]
  readonly pools: readonly PoolState[]
  /** Index of the newest commit. */
  readonly head: number
  readonly controls: FleetControls
}

export const START: Instant = Date.parse('2026-11-21T08:00:00.000Z')

/** Every node is new, and the first commit is there. */
export function initialState({ pools }: Scope): State {
  const nodes = [...pools].flatMap(([pool, { nodes }]) =>
    Array.from({ length: nodes }, (_, index) => newNode({ name: `${pool}${index}`, pool, now: START })),
  )
  const states = [...pools.keys()].map((name): PoolState => ({ name, memory: NO_MEMORY, controls: {} }))
  return { now: START + 60_000, nodes, pools: states, head: 0, controls: {} }
}

export function newNode({ name, pool, now }: { readonly name: string; readonly pool: string; readonly now: Instant }): NodeState {
  const machine = { up: true, ruined: false, rebooting: false, boot: 0 }
  const about = { ...machine, silent: false, unschedulable: false, held: false, active: 'factory', wasSound: false }
  return { name, pool, createdAt: now, readySince: now, ...about }
}

export function isReady({ up, ruined, rebooting }: Pick<NodeState, 'up' | 'ruined' | 'rebooting'>): boolean {
  return up && !ruined && !rebooting
}

/** As its Node shows the boot that its kubelet runs in. */
export function bootId({ boot }: Pick<NodeState, 'boot'>): string {
  return `boot-${boot}`
}

/** The order to reboot that it has been given, and has not followed. */
export function isToReboot(node: NodeState): boolean {
  return node.assigned?.reboot !== undefined && node.assigned.reboot.boot === bootId(node)
}

/** The node after a change, which the watch tells; what follows from it for its readiness is noted. */
export function changed(node: NodeState, change: Partial<NodeState>, now: Instant): NodeState {
  const { seenAs: _, ...real } = node
  const next = { ...real, ...change }
  return isReady(next) === isReady(node) ? next : { ...next, readySince: now }
}

export function withNode(state: State, name: string, change: (node: NodeState) => NodeState): State {
  return { ...state, nodes: state.nodes.map((node) => (node.name === name ? change(node) : node)) }
}

export function withPool(state: State, name: string, change: (pool: PoolState) => PoolState): State {
  return { ...state, pools: state.pools.map((pool) => (pool.name === name ? change(pool) : pool)) }
}

/** As the commits are named in statuses: the same content in two commits has two names and one fingerprint. */
export function revisionName(head: number, { name }: Content): string {
  return `${head}-${name}-commit`
}
