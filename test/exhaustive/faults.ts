import { REBOOT_REFUSED } from '../../src/protocol/agent-status.ts'
import { describePass, type Event, isPending, type Moment, mustReboot, reported, reportOf } from './events.ts'
import { assumed, written } from './pass.ts'
import { commitsOf } from './snapshot.ts'
import {
  bootId,
  changed,
  type NodeState,
  newNode,
  type PoolState,
  revisionName,
  type State,
  withNode,
  withPool,
} from './state.ts'

export type FaultName = keyof typeof FAULTS

/** What may go wrong, and what operators may do beside it. Each gives every way in which it can happen now. */
const FAULTS = {
  down: ofNodes('goes down', ({ up }) => up, { up: false }),
  silent: ofNodes('loses its agent', ({ silent }) => !silent, { silent: true }),
  hold: ofNodes('is held', ({ held }) => !held, { held: true }),
  cordon: ofNodes('is cordoned by an operator', ({ unschedulable }) => !unschedulable, { unschedulable: true }),
  'reboot asked': rebootAsked,
  'reboot refused': rebootRefused,
  fails,
  leaves,
  joins,
  moves,
  pause: ofPools(
    'paused',
    ({ controls }) => controls.paused === undefined,
    () => 'maintenance',
  ),
  retry: ofPools('retry', ({ controls }) => controls.retry === undefined, headName),
  rollback: ofPools(
    'rollback',
    ({ controls }) => controls.rollback === undefined,
    () => '',
  ),
  restart,
  refused,
  'answer lost': answerLost,
} as const satisfies Readonly<Record<string, (moment: Moment) => Event[]>>

export function faultEvents(moment: Moment): Event[] {
  return moment.scope.faults.flatMap((name) => FAULTS[name](moment))
}

function ofNodes(label: string, may: (node: NodeState) => boolean, change: Partial<NodeState>): (moment: Moment) => Event[] {
  return ({ state }) =>
    state.nodes.filter(may).map((node) => ({
      label: `${node.name} ${label}`,
      state: withNode(state, node.name, () => changed(node, change, state.now)),
    }))
}

function ofPools(
  control: 'paused' | 'retry' | 'rollback',
  may: (pool: PoolState) => boolean,
  value: (moment: Moment) => string,
): (moment: Moment) => Event[] {
  return (moment) =>
    moment.state.pools.filter(may).map(({ name }) => ({
      label: `${control} ${name}`,
      state: withPool(moment.state, name, (pool) => ({ ...pool, controls: { ...pool.controls, [control]: value(moment) } })),
    }))
}

function headName({ state, scope }: Moment): string {
  const content = commitsOf(scope)[state.head]
  return content ? revisionName(state.head, content) : ''
}

/** Some moments ago, so that it counts at once. Once for each boot. */
function rebootAsked({ state }: Moment): Event[] {
  const at = new Date(state.now - 60_000).toISOString()
  return state.nodes
    .filter(({ rebootRequest }) => rebootRequest === undefined)
    .map((node) => ({
      label: `reboot ${node.name}`,
      state: withNode(state, node.name, () =>
        changed(node, { rebootRequest: { boot: bootId(node), at, reason: 'firmware' } }, state.now),
      ),
    }))
}

/** Somebody inhibits it: the agent restores what was before. */
function rebootRefused({ state, scope }: Moment): Event[] {
  const error = { reason: REBOOT_REFUSED, message: 'inhibited' }
  return state.nodes
    .filter((node) => isPending(node) && mustReboot(node, scope))
    .map((node) => {
      const status = { ...reportOf(node, { phase: 'RolledBack', now: state.now }), error }
      const label = `${node.name} is refused its reboot`
      return { label, state: withNode(state, node.name, () => changed(node, { status }, state.now)) }
    })
}

/** A content that works elsewhere does not work here. */
function fails({ state, scope }: Moment): Event[] {
  const isGood = ({ assigned }: NodeState): boolean =>
    commitsOf(scope).some(({ name, effect }) => effect === 'good' && name === assigned?.digest)
  return state.nodes
    .filter((node) => isPending(node) && isGood(node) && node.active !== node.assigned?.digest)
    .map((node) => reported(state, node, 'crash'))
}

function leaves({ state }: Moment): Event[] {
  return state.nodes.map(({ name }) => ({
    label: `${name} leaves`,
    state: { ...state, nodes: state.nodes.filter((node) => node.name !== name) },
  }))
}

function joins({ state, scope }: Moment): Event[] {
  if (state.nodes.length >= scope.mostNodes) return []
  return state.pools.map(({ name: pool }) => {
    const name = freeName(state, pool)
    const nodes = [...state.nodes, newNode({ name, pool, now: state.now })].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { label: `${name} joins`, state: { ...state, nodes } }
  })
}

function freeName({ nodes }: State, pool: string): string {
  for (let index = 0; ; index++) if (!nodes.some(({ name }) => name === `${pool}${index}`)) return `${pool}${index}`
}

/** Its labels are changed: another pool selects it. */
function moves({ state }: Moment): Event[] {
  return state.nodes.flatMap((node) =>
    state.pools
      .filter(({ name }) => name !== node.pool)
      .map(({ name: pool }) => ({
        label: `${node.name} moves to ${pool}`,
        state: withNode(state, node.name, () => changed(node, { pool }, state.now)),
      })),
  )
}

/** The process ends in the middle of its writes. */
function restart({ state, writes }: Moment): Event[] {
  return writes.slice(1).map((_, index) => {
    const done = writes.slice(0, index + 1)
    return { label: `${describePass(done)}, then the controller restarts`, state: written(state, done) }
  })
}

/** One node's write fails; the others are made. */
function refused({ state, writes }: Moment): Event[] {
  return writes.flatMap((write, index): Event[] => {
    if (write.kind === 'status' || writes.length === index + 1) return []
    const done = writes.toSpliced(index, 1)
    return [{ label: `${describePass(done)}, and a write is refused`, state: written(state, done) }]
  })
}

/**
 * A write gets no answer. The controller assumes that it was made, until the watch tells; one that was made is then no more than a
 * pass. Here it was not: decisions see an assignment that there is not.
 */
function answerLost({ state, writes }: Moment): Event[] {
  return writes.flatMap((write, index): Event[] => {
    if (write.kind === 'status' || write.action.kind !== 'assign') return []
    const { node } = write.action
    const after = assumed(written(state, writes.toSpliced(index, 1)), written(state, writes), node)
    return [{ label: `${describePass(writes)}, but the request about ${node} is lost with its answer`, state: after }]
  })
}
