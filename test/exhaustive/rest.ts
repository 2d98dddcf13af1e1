import type { Decision } from '../../src/rollout/model/decision.ts'
import { type Moment, nextByItself, promoted } from './events.ts'
import { keyOf } from './key.ts'
import { commitsOf, fingerprintOf } from './snapshot.ts'
import { changed, isReady, type NodeState, type State } from './state.ts'

const LONGEST_WAY = 300

/** Reasons that tell operators what keeps the pool, and so what they can do. */
const NAMED: ReadonlySet<string> = new Set([
  'Halted',
  'RolledBack',
  'Paused',
  'WaitingForBudget',
  'WaitingForPromotion',
  'WaitingForDependency',
  'FleetStopped',
  'NodesFailed',
  'NodesDown',
  'RebootFailed',
  'NoEligibleNode',
])

/** @returns what is wrong when a fleet at rest is neither done nor tells why not */
export function unnamedWait({ state, observed, scope }: Moment): string | undefined {
  const head = commitsOf(scope)[state.head]?.name
  for (const { name } of state.pools) {
    const nodes = state.nodes.filter(({ pool }) => pool === name)
    const [ready] = observed.decisions.get(name)?.status.conditions ?? []
    if (nodes.length === 0 || ready === undefined) continue
    const isDone = nodes.every((node) => node.active === head || isExcused(node))
    if (ready.status === 'True' && !isDone)
      return `${name}: a pool that is Ready at rest has the newest commit on every node that can have it`
    if (ready.status === 'False' && !NAMED.has(ready.reason))
      return `${name}: a wait names its blocker, not ${ready.reason}: ${ready.message}`
  }
  return undefined
}

function isExcused(node: NodeState): boolean {
  return !isReady(node) || node.held || node.unschedulable || node.silent
}

export interface Settling {
  /** States that are known to come to a good end. */
  readonly known: Set<string>
  readonly momentOf: (state: State) => Moment
}

/** Operators lift everything that keeps the fleet, and push a good commit. @returns what is wrong unless every node gets it */
export function settles(moment: Moment, { known, momentOf }: Settling): string | undefined {
  const way: string[] = []
  let last = momentOf(helped(moment))
  for (let steps = 0; steps < LONGEST_WAY; steps++) {
    const key = keyOf(last.state, moment.scope)
    if (known.has(key)) return remember(way, known)
    way.push(key)
    const next = nextByItself(last)
    if (!next) return isSettled(last) ? remember(way, known) : `after all help every node gets a good commit: ${describe(last)}`
    last = momentOf(next.state)
  }
  return `after all help the fleet comes to rest: ${describe(last)}`
}

function remember(way: readonly string[], known: Set<string>): undefined {
  for (const key of way) known.add(key)
}

function helped({ state, scope }: Moment): State {
  const { now } = state
  const nodes = state.nodes.map((node) => changed(node, helpedBy(node), now))
  const pools = state.pools.map((pool) => ({ ...pool, controls: {} }))
  const fresh: State = { ...state, nodes, pools, controls: {}, head: scope.commits.length }
  return pools.reduce<State>((next, { name }) => promoted(next, name, scope), fresh)
}

function helpedBy({ up, boot, rebooting }: NodeState): Partial<NodeState> {
  const machine = up ? {} : { up: true, rebooting: false, boot: boot + 1 }
  return { ...machine, ...(up && { rebooting }), silent: false, held: false, unschedulable: false }
}

function isSettled({ state, observed }: Moment): boolean {
  return (
    state.nodes.every(({ active }) => active === 'fresh') &&
    state.pools.every(({ name, memory }) => {
      const isEmpty = state.nodes.every(({ pool }) => pool !== name)
      const isReadyNow = readyOf(observed.decisions.get(name))?.status === 'True'
      return isEmpty || (memory.stable?.fingerprint === fingerprintOf('fresh') && isReadyNow)
    })
  )
}

function describe({ observed }: Moment): string {
  return [...observed.decisions]
    .map(([name, decision]) => `${name}: ${readyOf(decision)?.reason} ${readyOf(decision)?.message}`)
    .join('; ')
}

function readyOf(decision: Decision | undefined): Decision['status']['conditions'][number] | undefined {
  return decision?.status.conditions[0]
}
