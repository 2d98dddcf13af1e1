import { Random } from '../random.ts'
import type { Told } from '../tell-stories.ts'
import type { Labels } from './content.ts'
import { establish, establishReturn } from './establish.ts'
import { adminReboots } from './faults/admin-reboots.ts'
import { adminStopsDrains } from './faults/admin-stops-drains.ts'
import { autoscalerReplaces } from './faults/autoscaler-replaces.ts'
import { commitReturns } from './faults/commit-returns.ts'
import { fixFollows } from './faults/fix-follows.ts'
import { gateChanges } from './faults/gate-changes.ts'
import { labelsChange, someLabels, someTiers, victimsChange } from './faults/labels-change.ts'
import { outagesChange } from './faults/outages-change.ts'
import { policyChanges } from './faults/policy-changes.ts'
import { pressureComes } from './faults/pressure-comes.ts'
import { recordsChange } from './faults/records-change.ts'
import { retryFollows } from './faults/retry-follows.ts'
import { wavesChange } from './faults/waves-change.ts'
import type { Fault } from './faults.ts'
import { happen } from './happen.ts'
import { gates } from './rules/gates.ts'
import { labelledWaves } from './rules/labelled-waves.ts'
import { outageGates } from './rules/outage-gates.ts'
import { proof } from './rules/proof.ts'
import { triedWaves } from './rules/tried-waves.ts'
import { limitWaves } from './rules/wave-failures.ts'
import { type DrawPoolRule, describeRules, drawRules } from './rules.ts'
import { settle, settleByRetry } from './settle.ts'
import { settleWithOtherRecords } from './settle-with-other-records.ts'
import { settleWithOutages } from './settle-with-outages.ts'
import { World } from './world.ts'

/** One story of a drawn fleet: the same seed, the same story. @param steps how many events; fewer are the same story's beginning */
export function tellFast(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps })
}

/** The same of fleets whose pools have gates, and depend on no other pool. */
export function tellGated(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(gatedWorld(random), { random, steps })
}

/** The same of fleets with gates in which fixes follow commits that break nodes. */
export function tellFixed(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(gatedWorld(random), { random, steps, extra: fixFollows })
}

function gatedWorld(random: Random): World {
  return worldWith(() => ({ dependsOn: [], ...gates(random) }), random)
}

/** The same of fleets whose gates look at workloads, which contents, machines and people break. */
export function tellOutages(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(outagesWorld(random), { random, steps, extra: outagesChange, chanceOfExtra: 0.15, end: settleWithOutages })
}

/** The same with commits that change policies, dependencies, limits and gates under way. */
export function tellTunedOutages(seed: number, steps: number): Told {
  const random = new Random(seed)
  const extra = oneOf([outagesChange, outagesChange, policyChanges, gateChanges])
  return tell(outagesWorld(random), { random, steps, extra, chanceOfExtra: 0.25, end: settleWithOutages })
}

/** The same with tools that change what the controller remembers in the cluster. */
export function tellMeddledOutages(seed: number, steps: number): Told {
  const random = new Random(seed)
  const world = outagesWorld(random)
  world.keepRecords()
  return tell(world, { random, steps, extra: oneOf([outagesChange, recordsChange]), chanceOfExtra: 0.25, end: settleWithOutages })
}

function oneOf(faults: readonly Fault[]): Fault {
  return (world, random) => random.pick(faults)(world, random)
}

function outagesWorld(random: Random): World {
  const { pools, fleet } = drawRules(random)
  const gated = [...pools].map(([name, policy]) => [name, { ...policy, dependsOn: [], ...outageGates(name, random) }] as const)
  const world = new World({ pools: new Map(gated), fleet })
  world.keepApps()
  return world
}

/** A drawn fleet whose pools have a rule more. */
function worldWith(draw: DrawPoolRule, random: Random): World {
  const { pools, fleet } = drawRules(random)
  return new World({ pools: new Map([...pools].map(([name, policy]) => [name, { ...policy, ...draw(random) }])), fleet })
}

/** The same of fleets that prove nodes by a pod. */
export function tellProved(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(worldWith(proof, random), { random, steps })
}

/** The same of fleets whose waves commits change under way. */
export function tellEdited(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps, extra: wavesChange })
}

/** The same of fleets whose policies, dependencies and limits commits change under way. */
export function tellTuned(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps, extra: policyChanges, chanceOfExtra: 0.1 })
}

/** The same of fleets whose machines reboot. */
export function tellRebooted(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps, extra: adminReboots })
}

/** The same of fleets whose operators stop drains by a pause. */
export function tellPaused(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps, extra: adminStopsDrains, chanceOfExtra: 0.1 })
}

/** The same of fleets whose nodes come under pressure; half of them prove nodes by a pod. */
export function tellPressed(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(worldProvedAtTimes(0.5, random), { random, steps, extra: pressureComes, chanceOfExtra: 0.15 })
}

/** All pools of a fleet prove nodes by a pod, or none does. */
function worldProvedAtTimes(chance: number, random: Random): World {
  let isProved: boolean | undefined
  return worldWith(() => {
    isProved ??= random.chance(chance)
    return isProved ? proof(random) : {}
  }, random)
}

/** The same of fleets whose autoscalers replace machines that failed. */
export function tellScaled(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps, extra: autoscalerReplaces })
}

/** The same of fleets whose commits are reverted, and come again. */
export function tellReturned(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(new World(drawRules(random)), { random, steps, extra: commitReturns, begin: establishReturn })
}

/** The same of fleets whose nodes change their labels, by which waves may go, too. */
export function tellRelabelled(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(worldWith(labelledWaves, random), {
    random,
    steps,
    extra: labelsChange,
    chanceOfExtra: 0.15,
    labels: someLabels,
    whileBad: victimsChange(6),
  })
}

/** The same of fleets whose operators retry commits that failed, on some machines or on all, repaired or not. */
export function tellRetried(seed: number, steps: number): Told {
  const random = new Random(seed)
  return tell(worldWith(triedWaves, random), {
    random,
    steps,
    extra: retryFollows,
    chanceOfExtra: 0.15,
    labels: someTiers,
    end: settleByRetry,
  })
}

/** The same of fleets in which other tools change what the controller remembers in the cluster; some prove nodes by a pod. */
export function tellMeddled(seed: number, steps: number): Told {
  const random = new Random(seed)
  const world = worldProvedAtTimes(0.3, random)
  world.keepRecords()
  return tell(world, { random, steps, extra: recordsChange, chanceOfExtra: 0.15, end: settleWithOtherRecords })
}

interface Telling {
  readonly random: Random
  readonly steps: number
  /** A fault that happens beside the others. */
  readonly extra?: Fault
  /** Default: 0.05. */
  readonly chanceOfExtra?: number
  /** How fleets that are not new came to be as they are. */
  readonly begin?: (world: World) => void
  /** A fault that goes on while the last bad commit does. */
  readonly whileBad?: Fault
  /** What the nodes are labelled with from the beginning. */
  readonly labels?: (random: Random) => Labels
  /** How the faults cease. */
  readonly end?: (world: World, random: Random) => void
}

function tell(world: World, { begin = establish, ...telling }: Telling): Told {
  const { random, steps, extra, chanceOfExtra = 0.05, labels, whileBad, end = () => settle(world, random, whileBad) } = telling
  limitWaves(world.rules.pools, random.aside())
  for (const pool of world.pools.keys())
    for (let i = random.below(10); i >= 0; i--)
      world.join(`${pool}-${i}`, { pool, zone: `zone-${i % 3}`, ...(labels && { labels: labels(random) }) })
  const { workload, nodes } = world
  workload.replicas = 1 + random.below(2 * nodes.size)
  workload.minAvailable = random.pick([0, workload.replicas - 1, workload.replicas])
  for (const name of nodes.keys()) {
    workload.add('DaemonSet', name)
    if (random.chance(0.1)) workload.add('bare', name)
  }
  world.push(Object.fromEntries([...world.pools.keys()].map((pool) => [pool, 'first'])))
  try {
    if (random.chance(0.8)) begin(world)
    for (let i = 0; i < steps; i++) {
      if (extra && random.chance(chanceOfExtra)) extra(world, random)
      happen(world, random)
    }
    end(world, random)
    return { ok: true, reached: world.reached }
  } catch (error) {
    return { ok: false, error, lines: [describeRules(world.rules), ...world.told.map((line) => line())] }
  }
}
