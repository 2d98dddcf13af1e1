import type { Random } from '../../random.ts'
import { BAD_EFFECTS } from '../effect.ts'
import type { SimNode } from '../sim-node.ts'
import type { World } from '../world.ts'

/** An autoscaler deletes a node that failed, and starts another machine with the same labels. Where none failed, new machines begin to. */
export function autoscalerReplaces(world: World, random: Random): void {
  const failed = [...world.nodes.values()].filter(hasFailed)
  if (failed.length === 0) newMachinesChange(world, random)
  else replace(random.pick(failed), world)
}

function replace({ name, pool, zone }: SimNode, world: World): void {
  world.leave(name)
  const replacement = `r${world.told.length}`
  world.join(replacement, { pool, zone })
  world.tell(`${name} failed: the autoscaler replaces it by ${replacement}`)
}

function hasFailed({ shown }: SimNode): boolean {
  const phase = shown.status?.phase
  return !shown.ready || phase === 'RolledBack' || phase === 'Failed'
}

/** Another image of the machines: what a pool completed does not work on those that join from now on, or works again. */
function newMachinesChange(world: World, random: Random): void {
  const { name, memory } = random.pick([...world.pools.values()])
  const content = world.commits.find(({ revision }) => revision === memory.stable?.revision)?.contents.get(name)
  if (content === undefined) return
  const effect = world.effects.get(content) === 'good' ? random.pick(BAD_EFFECTS) : 'good'
  world.effects.set(content, effect)
  const joined = `n${world.told.length}`
  world.join(joined, { pool: name, zone: `zone-${random.below(3)}` })
  world.tell(`content "${content}" is ${effect} on new machines; ${joined} joins ${name}`)
}
