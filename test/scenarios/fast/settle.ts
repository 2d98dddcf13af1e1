import { expect } from 'vitest'
import { selectsLabels } from '../../../src/protocol/node-selector.ts'
import { isSameData } from '../../../src/protocol/same-data.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action, Decision } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { Random } from '../random.ts'
import { contentOf, digestFor, type Labels, problemFor } from './content.ts'
import type { Observed } from './controller.ts'
import { BAD_EFFECTS, type Effect } from './effect.ts'
import { isProved } from './faults/commit-arrives.ts'
import { retry } from './faults/retry-follows.ts'
import type { Fault } from './faults.ts'
import { passOnce } from './go-on.ts'
import type { SimNode } from './sim-node.ts'
import { doesNotServe } from './when-assigned.ts'
import type { World } from './world.ts'

/**
 * The faults cease. A good commit must reach everybody. A bad one must be stopped, and stay so when another commit changes nothing. Its
 * revert must reach everybody again.
 * @param whileBad what happens beside the bad one
 */
export function settle(world: World, random: Random, whileBad: Fault = () => {}): void {
  recover(world)
  pushToAll(world, { content: 'last', effect: 'good', random })
  expectEveryoneAt('last', world, random)
  const effect = isProved(world) && random.chance(0.5) ? 'mute' : random.pick(BAD_EFFECTS)
  pushToAll(world, { content: 'bad', effect, random })
  expectAllStopped(effect, world, random, whileBad)
  const victims = assigned('bad', world)
  world.push({})
  expectAllStopped(effect, world, random)
  expect(assigned('bad', world).filter((name) => !victims.includes(name))).toEqual([])
  pushToAll(world, { content: 'last', effect: 'good', random })
  expectEveryoneAt('last', world, random)
}

/**
 * The same, and when the bad commit is stopped, what was to blame is repaired: after a retry it must reach everybody. Where another pool has
 * used up what the fleet bears, its stop is lifted as well.
 */
export function settleByRetry(world: World, random: Random): void {
  recover(world)
  pushToAll(world, { content: 'last', effect: 'good', random })
  expectEveryoneAt('last', world, random)
  const effect = random.pick(BAD_EFFECTS)
  pushToAll(world, { content: 'bad', effect, random })
  expectAllStopped(effect, world, random)
  world.effects.set('bad', 'good')
  for (const node of world.nodes.values()) node.repair(world.now)
  world.fleetControls = { retry: world.head.revision }
  for (const pool of world.pools.values()) retry(pool, world, true)
  expectEveryoneAt('bad', world, random)
}

export function pushToAll(
  world: World,
  { content, effect, random }: { readonly content: string; readonly effect: Effect; readonly random: Random },
): void {
  world.push(
    Object.fromEntries([...world.pools.keys()].map((pool) => [pool, content])),
    effect,
    random.pick(['restart', 'drain']),
  )
  for (const pool of world.pools.values()) world.control(pool, { promoted: world.head.revision })
}

const WAITING = ['WaitingForBudget', 'WaitingForWindow', 'WaitingForDependency']

export function assigned(content: string, { nodes }: World): string[] {
  return [...nodes.values()].flatMap(({ name, shown }) => (contentOf(shown.assigned?.digest ?? '') === content ? [name] : []))
}

export function expectAllStopped(effect: Effect, world: World, random: Random, meanwhile?: Fault): void {
  const { last: stopped } = rest(world, random, meanwhile)
  for (const name of world.pools.keys()) expectStopped(world, { name, effect, stopped })
}

function expectStopped(
  world: World,
  { name, effect, stopped }: { readonly name: string; readonly effect: Effect; readonly stopped: Observed },
): void {
  const { status } = stopped.decisions.get(name) ?? {}
  const members = world.membersOf(name)
  if (members.length === 0) return
  const isRejected = status?.rejected.some(({ fingerprint }) => fingerprint === 'of bad')
  if (isRejected && world.rules.pools.get(name)?.onFailure === 'Rollback')
    expect(members.map(({ active }) => active)).toEqual(members.map(({ labels }) => digestFor('last', labels)))
  // The fleet's cap may be used up by what another pool has broken: then this one waits, and says so; or for a
  // window, or for a pool that waits.
  const [, reconciling, stalled] = status?.conditions ?? []
  if (effect !== 'wilt' && !WAITING.includes(reconciling?.reason ?? '')) expect(stalled).toMatchObject({ status: 'True' })
}

/** @param help what people do besides, when the fleet rests; whether there was something to do */
export function expectEveryoneAt(content: string, world: World, random: Random, help: Help = () => false): void {
  const { decisions } = restWithHelp(world, random, help)
  const nodes = [...world.nodes.values()]
  expect(nodes.map((node) => node.active)).toEqual(nodes.map(({ labels }) => digestFor(content, labels)))
  expect(nodes.filter(({ shown }) => shown.unschedulable || shown.mark !== undefined)).toEqual([])
  for (const [name, { status }] of decisions)
    if (world.membersOf(name).length > 0)
      expect(status.conditions[0]).toMatchObject({ type: 'Ready', status: 'True', reason: 'Completed' })
}

export type Help = (last: Observed, world: World) => boolean

/** More than a fleet has nodes. */
const MOST_HELP = 50

/** Pools that keep each other from going on, or a wave from its nodes, say what a person can do: here one does it. */
function restWithHelp(world: World, random: Random, help: Help): Observed {
  for (let helped = 0; helped < MOST_HELP; helped++) {
    const { last, stuck } = rest(world, random)
    const isHelped = help(last, world)
    if (!stuck && !isHelped) return last
    if (stuck && !labelForWaves(world)) world.raiseFleetBudget()
  }
  throw new Error('no help lets the fleet go on')
}

function isStuck({ decisions }: Observed, world: World): boolean {
  return [...decisions].some(([name, decision]) => isDeadlocked(decision) || needsLabels(name, { decision, world }))
}

/** Nodes that its wave does not select use up the budget of the pool, or hold its zone. */
function needsLabels(pool: string, { decision, world }: { readonly decision: Decision; readonly world: World }): boolean {
  const [, reconciling] = decision.status.conditions
  const isKept = reconciling?.reason === 'WaitingForBudget' && reconciling.message.includes('repair them')
  return isKept && labelsOfWave(pool, world) !== undefined
}

/** Of the newest open wave, if it goes by labels. */
function labelsOfWave(pool: string, { pools, rules }: World): Labels | undefined {
  const index = pools.get(pool)?.memory.wave?.index ?? 0
  const { nodes } = rules.pools.get(pool)?.waves[index - 1] ?? {}
  return nodes && 'matchLabels' in nodes ? nodes.matchLabels : undefined
}

/** A person labels nodes that are down, that do not serve, or whose work does not end, for the wave that waits for them. */
function labelForWaves(world: World): boolean {
  const unsound = [...world.nodes.values()].filter(({ isBusy, shown }) => isBusy || !shown.ready || doesNotServe(shown))
  return unsound.map((node) => labelForWave(node, world)).includes(true)
}

function labelForWave(node: SimNode, world: World): boolean {
  const matchLabels = labelsOfWave(node.pool, world)
  if (!matchLabels || selectsLabels({ matchLabels }, node.labels)) return false
  node.relabel({ labels: { ...node.labels, ...matchLabels } })
  world.tell(`${node.name} is labelled for the wave: ${JSON.stringify(matchLabels)}`)
  return true
}

function isDeadlocked({ status }: Decision): boolean {
  const [, reconciling] = status.conditions
  return reconciling?.reason === 'WaitingForBudget' && reconciling.message.includes('or raise maxUnavailable of the Fleet')
}

/** Ends every fault that people or machines brought about; what they did to hosts stays. */
export function recover(world: World): void {
  world.gates.says = 'Passed'
  world.fleetControls = {}
  for (const pool of world.pools.values()) world.control(pool, {})
  world.workload.minAvailable = 0
  world.defects.clear()
  world.apps?.repair()
  for (const pod of world.workload.pods.values()) if (pod.kind === 'bare') world.workload.end(pod)
  for (const node of [...world.nodes.values()]) {
    if (node.shown.leaving) world.leave(node.name)
    if (!world.pools.has(node.pool)) node.pool = [...world.pools.keys()][0] ?? ''
    if (world.cordonedByPeople.delete(node.name)) node.show({ unschedulable: false })
    if (problemFor(node.labels)) node.relabel({ labels: {} })
    node.unhold()
    node.refusesReboot = false
    if (node.shown.pressures) node.relieve()
    node.clockOff = 0
    if (node.dead || node.offline) node.revive(world.now)
  }
  world.restartController(0)
}

/** Windows open and close for ever, in each hour at the same minutes; who has seen them all waits for something else. */
const WINDOWS_SEEN = 80 * 60_000
/** Longer than every soak and timeout of a story. */
const MUCH_LATER = 24 * 3_600_000

interface Rest {
  readonly last: Observed
  /** A decision asked a person for help, and nothing has moved since: once its window is closed, the pool says only that. */
  readonly stuck: boolean
}

/** Lets every agent and the controller do all they have to do, for as long as time brings something new. */
export function rest(world: World, random: Random, meanwhile?: Fault): Rest {
  world.tell(`rest at "${world.head.revision}"`)
  let movedAt = world.now
  let stuck = false
  for (let round = 0; round < 600; round++) {
    const observed = passOnce(world)
    const before = stateOf(world)
    meanwhile?.(world, random)
    stepAll(world, random)
    const actions = [...observed.decisions.values()].flatMap((decision) => decision.actions)
    const moved = before !== stateOf(world) || actions.some((action) => !isNoting(action))
    const wakeAt = earliestWake(observed)
    if (moved) movedAt = world.now
    stuck = !moved && (stuck || isStuck(observed, world))
    // The watch tells of a status that was written: another pass follows at once.
    const isQuiet = !moved && actions.length === 0 && isWritten(observed)
    if (isQuiet) expectNothingBefore(wakeAt ?? observed.at + MUCH_LATER, observed)
    if (isQuiet && (wakeAt === undefined || world.now - movedAt > WINDOWS_SEEN)) return { last: observed, stuck }
    world.now += isQuiet ? Math.max(1_000, (wakeAt ?? observed.at) - observed.at) : 1_000
  }
  throw new Error('the fleet never comes to rest')
}

/** Each time that a window opens, what is unavailable before a wave is noted once more. That brings no node on. */
function isNoting(action: Action): boolean {
  return action.kind === 'askGate' && action.question === 'before'
}

/** The decision found each status as it leaves it. */
function isWritten({ fleet, decisions }: Observed): boolean {
  return fleet.pools.every(({ name, memory }) => isSameData(memory, decisions.get(name)?.status))
}

function stepAll(world: World, random: Random): void {
  for (const node of random.shuffled([...world.nodes.values()])) for (let i = 0; i < 3; i++) world.step(node)
}

/** What waits for time has asked to be decided again by then: nothing else calls the controller. */
function expectNothingBefore(wakeAt: Instant, { fleet, decisions }: Observed): void {
  for (const [name, later] of decideFleet(fleet, wakeAt - 1)) {
    const before = decisions.get(name)
    const [gist, known] = [gistOf(later), before && gistOf(before)]
    if (!isSameData(gist, known)) expect({ pool: name, ...gist }).toEqual({ pool: name, ...known })
  }
}

function gistOf({ actions, status: { conditions, wave, target } }: Decision): object {
  return { actions, wave, target, conditions: conditions.map(({ lastTransitionTime: _, ...said }) => said) }
}

/** Both count up only. */
function stateOf({ shown, workload }: World): string {
  return `${workload.version} ${shown}`
}

function earliestWake({ decisions }: Observed): number | undefined {
  const wakes = [...decisions.values()].flatMap(({ wakeAt }) => wakeAt ?? [])
  return wakes.length > 0 ? Math.min(...wakes) : undefined
}
