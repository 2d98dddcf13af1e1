import type { NodePoolStatus } from '../../../../src/protocol/node-pool.ts'
import { decideFleet } from '../../../../src/rollout/decide-fleet.ts'
import { uncordonStrays } from '../../../../src/rollout/drain/strays.ts'
import { type Memory, NO_MEMORY } from '../../../../src/rollout/model/snapshot.ts'
import { minute } from '../../builders/instants.ts'
import { ran, worked } from './agents.ts'
import { contentOf, renderedFrom } from './contents.ts'
import { keepsBudgets } from './keeps-budgets.ts'
import { keepsExposure } from './keeps-exposure.ts'
import { keepsTurn } from './keeps-turn.ts'
import { record } from './records.ts'
import { snapshotOf } from './snapshot.ts'
import type { Fate } from './steps.ts'
import { takesOver } from './takes-over.ts'
import type { World } from './world.ts'
import { execute } from './writes.ts'

export function tick(world: World, fate: Fate = 'sound'): void {
  world.now += minute
  world.before = world.nodes
  world.nodes = world.nodes.map((node) => worked(world, node))
  world.proofs = new Map([...world.proofs].map(([name, pod]) => [name, ran(world, pod)]))
  pass(world, fate)
}

export function pass(world: World, fate: Fate): void {
  const seen = fate === 'late' ? world.before : world.nodes
  let known = seen
  let decisions = decideFleet(snapshotOf(world, known), world.now)
  // It reads the nodes of the pool again before a wave opens, and before a rollout completes.
  if (fate === 'late' && [...decisions].some(([name, { status }]) => isStepAhead(world.statuses.get(name), status))) {
    known = world.nodes
    decisions = decideFleet(snapshotOf(world, known), world.now)
  }
  takesOver(world, decisions, fate)
  world.decisions = decisions
  const nodesBefore = world.nodes
  let writes = 0
  for (const [name, { status, actions }] of decisions) {
    if (fate === 'refused' && name === 'a') continue
    record(world, name, world.statuses.get(name) ?? NO_MEMORY, status)
    world.statuses.set(name, status)
    for (const action of actions) {
      if (fate === 'answers lost' && writes++ % 2 === 1) continue
      execute(world, name, action, { status, seen, nodesBefore })
    }
  }
  for (const action of uncordonStrays(snapshotOf(world, seen).strays ?? [])) execute(world, '', action, { seen, nodesBefore })
  keepsBudgets(world, nodesBefore, known)
  keepsTurn(world, nodesBefore)
  for (const [name, { status, actions }] of decisions)
    if (actions.some((action) => action.kind === 'assign' && renderedFrom(action.digest) === contentOf(status.target)))
      keepsExposure(world, name, status, nodesBefore)
}

function isStepAhead(before: Memory | undefined, after: NodePoolStatus): boolean {
  return before?.wave?.index !== after.wave?.index || before?.history[0]?.result !== after.history[0]?.result
}
