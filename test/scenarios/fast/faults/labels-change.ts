import type { Random } from '../../random.ts'
import { contentOf, digestFor, type Labels, NO_PROFILE, PROFILE } from '../content.ts'
import { BAD_EFFECTS } from '../effect.ts'
import type { Fault } from '../faults.ts'
import { TIER } from '../rules/labelled-waves.ts'
import type { SimNode } from '../sim-node.ts'
import type { World } from '../world.ts'

/** The label is taken away. */
const NONE = ''
const PROFILES = [NONE, 'a', 'b']
const TIERS = [NONE, 'canary', 'early']
const ZONES = ['zone-0', 'zone-1', 'zone-2']
const NO_POOL = ''

/** The same of nodes that all get the same content; waves have few of them. */
export function someTiers(random: Random): Labels {
  return labelled({}, { [TIER]: random.pick([...TIERS, NONE, NONE]) })
}

/** What nodes are labelled with when they join. */
export function someLabels(random: Random): Labels {
  return labelled({}, { [PROFILE]: random.pick([NONE, ...PROFILES]), [TIER]: random.pick([NONE, ...TIERS]) })
}

/** People or an autoscaler change labels of a node, or of all of a pool; or the newest content turns out bad for nodes with some label. */
export function labelsChange(world: World, random: Random): void {
  const node = nextToChange(world, random)
  const dice = random.next()
  if (dice < 0.15) profileBreaks(world, random)
  else if (dice < 0.3) relabel(node, { pool: random.chance(0.4) ? NO_POOL : random.pick([...world.pools.keys()]) }, world)
  else if (dice < 0.4) relabel(node, { zone: random.pick(ZONES) }, world)
  else if (dice < 0.6) label(node, { [TIER]: random.pick(TIERS) }, world)
  else if (dice < 0.9) label(node, { [PROFILE]: profileFor(node, random) }, world)
  else for (const each of world.membersOf(node.pool)) label(each, { [PROFILE]: profileFor(each, random) }, world)
}

/** The same so often, of nodes that the newest commit was tried on: what it did to them counts. */
export function victimsChange(most: number): Fault {
  let left = most
  return (world, random) => {
    if (random.chance(0.9) || left === 0) return
    left -= 1
    victimChanges(world, random)
  }
}

function victimChanges(world: World, random: Random): void {
  const { nodes, head } = world
  const tried = [...nodes.values()].filter(({ shown }) => shown.assigned?.revision === head.revision)
  if (tried.length === 0) return
  const node = random.pick(tried)
  label(node, { [PROFILE]: random.pick(PROFILES.filter((profile) => profile !== (node.labels[PROFILE] ?? NONE))) }, world)
}

/** Mostly one that has the newest content: labels that change elsewhere change less. */
function nextToChange({ nodes, head }: World, random: Random): SimNode {
  const all = [...nodes.values()]
  const ofNewest = all.filter(({ pool, shown }) => contentOf(shown.assigned?.digest ?? '') === head.contents.get(pool))
  const atIt = ofNewest.filter(({ isBusy }) => isBusy)
  const failed = ofNewest.filter(({ shown: { ready, status } }) => !ready || status?.phase === 'RolledBack')
  const some = random.pick([all, ofNewest, atIt, failed].filter((nodes) => nodes.length > 0))
  return random.pick(some)
}

function profileFor({ labels }: SimNode, random: Random): string {
  return random.chance(0.1) ? NO_PROFILE : random.pick(PROFILES.filter((profile) => profile !== (labels[PROFILE] ?? NONE)))
}

function label(node: SimNode, change: Parameters<typeof labelled>[1], world: World): void {
  relabel(node, { labels: labelled(node.labels, change) }, world)
}

function relabel(node: SimNode, change: Parameters<SimNode['relabel']>[0], world: World): void {
  node.relabel(change)
  world.forgetGiven(node)
  world.tell(`${node.name} is relabelled: ${JSON.stringify(change)}`)
}

function labelled(labels: Labels, change: Readonly<Record<string, string>>): Labels {
  const entries = Object.entries({ ...labels, ...change })
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === NONE ? [] : [[name, value]])))
}

function profileBreaks(world: World, random: Random): void {
  const content = world.head.contents.get(random.pick([...world.pools.keys()])) ?? ''
  const digest = digestFor(content, { [PROFILE]: random.pick(['a', 'b']) })
  const effect = random.pick(BAD_EFFECTS)
  world.effects.set(digest, effect)
  world.tell(`content "${digest}" is ${effect}`)
}
