import { isOurCordon } from '../../../../src/rollout/model/cordon.ts'
import type { Random } from '../../random.ts'
import { hasEnded, isBlocked } from '../invariants/steps.ts'
import type { SimNode } from '../sim-node.ts'
import type { World } from '../world.ts'

type Shown = SimNode['shown']

/** Annotations, and what `kubectl cordon` writes, by the tool that changes them. */
const PARTS: readonly (readonly (keyof Shown)[])[] = [
  ['assigned'],
  ['status'],
  ['mark'],
  ['assigned', 'status'],
  ['assigned', 'status', 'mark', 'proof', 'hold', 'rebootRequest'],
  ['assigned', 'status', 'mark', 'proof', 'hold', 'rebootRequest', 'unschedulable'],
]
const ALL = ['assigned', 'status', 'mark', 'proof', 'hold', 'rebootRequest', 'unschedulable'] as const

const BARE: Partial<Shown> = { unschedulable: false }

/** Annotations of one node, or of all nodes of a pool, are older ones, or gone. */
export function nodesChange(world: World, random: Random): void {
  const node = random.pick([...world.nodes.values()])
  const nodes = random.chance(0.2) ? world.membersOf(node.pool) : [node]
  const parts = random.pick(PARTS)
  const backup = random.chance(0.5) ? random.pick(world.backups) : undefined
  for (const each of nodes) change(each, pick(backup ? backup.nodes.get(each) : BARE, parts), world)
  const how = backup ? 'are older' : 'are gone'
  world.tell(`${parts.join(', ')} of ${nodes.map(({ name }) => name).join(', ')} ${how}`)
}

/** Somebody cordons a node, or lifts its cordon, with what stands beside it or without. */
export function cordonChanges(world: World, random: Random): void {
  const marked = [...world.nodes.values()].filter(({ shown }) => shown.mark !== undefined || shown.unschedulable)
  const node = random.pick(marked.length > 0 ? marked : [...world.nodes.values()])
  const { unschedulable } = node.shown
  change(node, { unschedulable: !unschedulable, ...(random.chance(0.5) && { mark: undefined }) }, world)
  world.tell(`${node.name} unschedulable: ${node.shown.unschedulable}, mark: ${JSON.stringify(node.shown.mark)}`)
}

export function restoreNode(node: SimNode, shown: Shown, world: World): void {
  change(node, pick(shown, ALL), world)
}

/** What a Node has not, a backup takes away. */
function pick(shown: Partial<Shown> | undefined, parts: readonly (keyof Shown)[]): Partial<Shown> {
  if (shown === undefined) return {}
  return Object.fromEntries(parts.map((part) => [part, shown[part]]))
}

function change(node: SimNode, to: Partial<Shown>, world: World): void {
  if (!isOurCordon(node.shown)) node.cordonedByTool = true
  node.show(to)
  world.forgetGiven(node)
  noteCordon(node, world)
  const view = node.view()
  const isIdle = view.assigned === undefined || hasEnded(view) || isBlocked(view)
  // Nothing shows any more that the controller has disturbed it.
  if (isIdle && !isOurCordon(view)) node.disturbed = false
}

/** Whose a cordon is goes by the mark beside it: docs/drain.md, under "Cordons". */
function noteCordon({ name, shown: { unschedulable, mark } }: SimNode, world: World): void {
  const { cordonedByPeople, calledOff, released } = world
  if (unschedulable && mark?.state !== 'Ours') cordonedByPeople.add(name)
  else cordonedByPeople.delete(name)
  if (!unschedulable && mark?.state === 'Ours') calledOff.set(name, mark.digest)
  if (mark?.state === 'Released') calledOff.set(name, mark.digest)
  else released.delete(name)
}
