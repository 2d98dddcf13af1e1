import { type AgentStatus, REBOOTING } from '../../src/protocol/agent-status.ts'
import type { Instant } from '../../src/rollout/model/instant.ts'
import type { Observed } from '../scenarios/fast/controller.ts'
import { type Write, written } from './pass.ts'
import type { Effect, Scope } from './scope.ts'
import { commitsOf, disruptionFrom } from './snapshot.ts'
import { changed, isToReboot, type NodeState, revisionName, type State, withNode, withPool } from './state.ts'

/** Something that happens in a state, and the state after it. */
export interface Event {
  readonly label: string
  readonly state: State
}

export interface Moment {
  readonly state: State
  readonly scope: Scope
  readonly observed: Observed
  /** Of the pass that would follow now. */
  readonly writes: readonly Write[]
}

/** What goes on in every fleet, or what ends a fault. */
export function ordinaryEvents(moment: Moment): Event[] {
  return [
    ...passes(moment),
    ...agents(moment),
    ...ends(moment),
    ...time(moment),
    ...pushes(moment),
    ...promotions(moment),
    ...recoveries(moment),
  ]
}

/** What goes on by itself: the controller first, then agents, then time. None: the fleet is at rest. */
export function nextByItself(moment: Moment): Event | undefined {
  return passes(moment)[0] ?? agents(moment)[0] ?? ends(moment)[0] ?? time(moment)[0]
}

/** The watch tells what a node is really assigned, or the assumption is given up. */
function ends({ state }: Moment): Event[] {
  return state.nodes
    .filter(({ seenAs }) => seenAs !== undefined)
    .map(({ name }) => ({
      label: `it is seen what ${name} is assigned`,
      state: withNode(state, name, ({ seenAs: _, ...node }) => node),
    }))
}

function passes({ state, writes }: Moment): Event[] {
  return writes.length === 0 ? [] : [{ label: describePass(writes), state: written(state, writes) }]
}

export function describePass(writes: readonly Write[]): string {
  const told = writes.map((request) => {
    if (request.kind === 'status') return `${request.pool}: ${request.status.conditions[0]?.reason}`
    const { action } = request
    return action.kind === 'assign' ? `${action.node} := ${action.digest}` : action.kind
  })
  return `pass (${told.join(', ')})`
}

function agents({ state, scope }: Moment): Event[] {
  const returns = state.nodes.filter(({ up, rebooting }) => up && rebooting).map((node) => returned(state, node))
  const works = state.nodes.filter(isPending).map((node) => {
    const effect = commitsOf(scope).find(({ name }) => name === node.assigned?.digest)?.effect ?? 'good'
    return mustReboot(node, scope) ? reboots(state, node) : reported(state, node, effect)
  })
  return [...works, ...returns]
}

/** Before it can go on with what it is assigned, its machine goes down once. */
export function mustReboot(node: NodeState, scope: Scope): boolean {
  if (isToReboot(node)) return true
  const commits = commitsOf(scope)
  const content = commits.find(({ name }) => name === node.assigned?.digest)
  const hasBegun = node.status?.error?.reason === REBOOTING && isAboutPresent(node)
  return content !== undefined && !hasBegun && disruptionFrom(node.active, { content, commits }) === 'reboot'
}

function reboots(state: State, node: NodeState): Event {
  const status = { ...reportOf(node, { phase: 'Applying', now: state.now }), error: { reason: REBOOTING, message: 'reboot' } }
  return {
    label: `${node.name} reboots`,
    state: withNode(state, node.name, () => changed(node, { status, rebooting: true }, state.now)),
  }
}

function returned(state: State, node: NodeState): Event {
  const change = { rebooting: false, boot: node.boot + 1 }
  return { label: `${node.name} has rebooted`, state: withNode(state, node.name, () => changed(node, change, state.now)) }
}

export function reportOf(
  { assigned, active }: NodeState,
  { phase, now }: { readonly phase: AgentStatus['phase']; readonly now: Instant },
) {
  const digest = assigned?.digest ?? ''
  const assignedAt = new Date(assigned?.at ?? 0).toISOString()
  return { phase, digest, assigned: digest, assignedAt, active, since: new Date(now).toISOString() }
}

export function isPending(node: NodeState): boolean {
  const { assigned, status, up, silent, rebooting } = node
  if (!assigned || !up || silent || rebooting) return false
  return !isAboutPresent(node) || status?.error?.reason === REBOOTING
}

function isAboutPresent({ assigned, status }: NodeState): boolean {
  if (!assigned) return false
  return status?.assigned === assigned.digest && status.assignedAt === new Date(assigned.at ?? 0).toISOString()
}

/** The agent ends its work at what is assigned. */
export function reported(state: State, node: NodeState, effect: Effect): Event {
  const digest = node.assigned?.digest ?? ''
  const runs = node.active === digest && !node.ruined
  const phase = runs || effect === 'good' ? 'Applied' : effect === 'crash' && !node.ruined ? 'RolledBack' : 'Failed'
  const active = phase === 'Applied' ? digest : node.active
  const status = reportOf({ ...node, active }, { phase, now: state.now })
  const next = withNode(state, node.name, () => changed(node, { status, active, ruined: phase === 'Failed' }, state.now))
  return { label: `${node.name}: ${phase} ${digest}`, state: next }
}

/** On to the next instant for which a decision asks. */
function time({ state, observed }: Moment): Event[] {
  const wakes = [...observed.decisions.values()].flatMap(({ wakeAt }) => wakeAt ?? [])
  if (wakes.length === 0) return []
  const now = Math.min(...wakes)
  return [{ label: `${Math.round((now - state.now) / 1000)} s pass`, state: { ...state, now } }]
}

function pushes({ state, scope }: Moment): Event[] {
  const head = state.head + 1
  const content = scope.commits[head]
  return content ? [{ label: `push ${content.name}`, state: { ...state, head } }] : []
}

function promotions({ state, scope }: Moment): Event[] {
  return state.pools.flatMap(({ name, controls }): Event[] => {
    const isManual = scope.pools.get(name)?.policy.waves.some(({ manual }) => manual)
    const content = commitsOf(scope)[state.head]
    if (!isManual || !content || controls.promoted === revisionName(state.head, content)) return []
    return [{ label: `promote ${name}`, state: promoted(state, name, scope) }]
  })
}

export function promoted(state: State, pool: string, scope: Scope): State {
  const content = commitsOf(scope)[state.head]
  if (!content) throw new Error(`there is no commit ${state.head}`)
  return withPool(state, pool, (before) => ({
    ...before,
    controls: { ...before.controls, promoted: revisionName(state.head, content) },
    promoted: content.name,
  }))
}

function recoveries({ state }: Moment): Event[] {
  const ofNodes = state.nodes.flatMap((node): Event[] => {
    const end = (label: string, change: Partial<NodeState>): Event => ({
      label: `${node.name} ${label}`,
      state: withNode(state, node.name, () => changed(node, change, state.now)),
    })
    return [
      ...(node.up ? [] : [end('comes back', { up: true, rebooting: false, boot: node.boot + 1 })]),
      ...(node.silent ? [end('has its agent again', { silent: false })] : []),
      ...(node.held ? [end('is released', { held: false })] : []),
      ...(node.unschedulable ? [end('is uncordoned', { unschedulable: false })] : []),
    ]
  })
  const ofPools = state.pools.flatMap(({ name, controls }): Event[] =>
    (['paused', 'rollback'] as const).flatMap((control) =>
      controls[control] === undefined ? [] : [{ label: `${name} without ${control}`, state: without(state, name, control) }],
    ),
  )
  return [...ofNodes, ...ofPools]
}

function without(state: State, pool: string, control: 'paused' | 'rollback'): State {
  return withPool(state, pool, ({ controls: { [control]: _, ...controls }, ...rest }) => ({ ...rest, controls }))
}
