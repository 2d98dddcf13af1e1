import type { Random } from '../random.ts'
import type { Observed } from './controller.ts'
import { gatesChange } from './faults/gates-change.ts'
import { FAULTS } from './faults.ts'
import { checkDecision, checkWorld } from './invariants.ts'
import { drawMishap } from './mishap.ts'
import type { SimNode } from './sim-node.ts'
import { noteSituations } from './situations.ts'
import type { World } from './world.ts'

const MINUTE = 60_000

/** One event: mostly an agent's step or a pass; now and then time passes, or something comes between. */
export function happen(world: World, random: Random): void {
  world.takes = []
  const dice = random.next()
  if (dice < 0.5) world.step(nextToStep(world, random))
  else if (dice < 0.75) pass(world, random)
  else if (dice < 0.85) world.now += random.pick([200, 5_000, MINUTE, 5 * MINUTE])
  else if (hasGates(world) && random.chance(0.2)) gatesChange(world, random)
  else random.pick(FAULTS)(world, random)
  checkWorld(world)
}

/** Mostly one that has work: a fleet mostly gets on. */
function nextToStep({ nodes }: World, random: Random): SimNode {
  const all = [...nodes.values()]
  const busy = random.chance(0.5) ? all.filter(({ isBusy }) => isBusy) : []
  return random.pick(busy.length > 0 ? busy : all)
}

function hasGates({ rules }: World): boolean {
  return [...rules.pools.values()].some(({ gates }) => gates !== undefined)
}

/** Now and then the controller has not heard everything, hears something twice, or fails in the middle. */
function pass(world: World, random: Random): void {
  world.controller.hear(random.chance(0.7) ? Number.POSITIVE_INFINITY : random.below(3), random.below(3))
  const mishap = drawMishap(random)
  if (!mishap && random.chance(0.3)) {
    world.tell('what the pass writes to nodes arrives after another pass')
    world.controller.passTwice((observed) => see(observed, world))
  } else see(world.controller.pass(mishap), world)
  if (mishap) world.tell(`write ${mishap.atWrite} of the pass: ${mishap.kind}`)
}

function see(observed: Observed, world: World): void {
  for (const [name, { actions, status }] of observed.decisions)
    if (actions.length > 0) world.tell(() => `pass: ${name} ${JSON.stringify(actions)} ${status.conditions[0]?.message}`)
  checkDecision(observed)
  noteSituations(observed, world.reached)
}
