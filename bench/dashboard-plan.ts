/**
 * `node bench/dashboard-plan.ts [--nodes N]`: what the dashboard costs a controller with a large fleet, all in one pool. Medians.
 * Plan: of a commit that waits for promotion and changes every node; the nodes are alike, or each has a content of its own.
 * Look: what the page shows, with its timeline, twice a second while somebody looks; first with new windows, then again.
 * "Blocks": the longest part during which the process does nothing else. Milliseconds are CPU of this thread.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Window } from '../src/calendar/window.ts'
import { dashboardPlan } from '../src/cli/controller/dashboard-plan.ts'
import { dashboardWindows } from '../src/cli/controller/dashboard-windows.ts'
import { conclusionsOf } from '../src/controller/conclusions.ts'
import { type FleetView, fleetView } from '../src/dashboard/fleet-view.ts'
import { changesBetween } from '../src/dashboard/view-changes.ts'
import { exampleCommit } from './support/example-fleet.ts'
import { cpuUsed, type Figure, median, print, readOptions } from './support/report.ts'
import { compile, SettledFleet } from './support/settled-fleet.ts'

const RUNS = 7
const HOUR = 3_600_000
const EACH_ITS_OWN = '\n    providerID: "example://{{ node.name }}"'
const options = readOptions()
const count = options.nodes ?? 15_000

const alike = new SettledFleet({ count, stable: compile(exampleCommit(0)), pools: ['workers'] })
const own = new SettledFleet({ count, stable: compile(exampleCommit(0, EACH_ITS_OWN)), pools: ['workers'] })
const plans = [...(await planFigures('alike', alike)), ...(await planFigures('each its own', own, EACH_ITS_OWN))]
print([...plans, ...(await lookFigures(alike))], options)

async function planFigures(what: string, settled: SettledFleet, more = ''): Promise<Figure[]> {
  const runs: Cost[] = []
  const fleet = compile(exampleCommit(0, more))
  for (let run = 0; run < RUNS; run++) {
    const state = { fleet, held: 'it changes too much', heldFleet: compile(exampleCommit(1 + run, more)) }
    await settled.decide(fleet, state)
    const conclusions = conclusionsOf({ ...settled.parts, intake: { state } })
    const makePlan = async () => {
      const plan = await conclusions.plan('workers')
      if (plan?.changing !== count) throw new Error(`plan ${count} nodes: it changes ${plan?.changing}`)
      dashboardPlan(plan)
    }
    runs.push(await costOf(makePlan))
  }
  const name = `plan, ${count} nodes, ${what}`
  return [
    { name, value: median(runs.map(({ took }) => took)), unit: 'ms' },
    { name: `${name}: blocks`, value: median(runs.map(({ blocked }) => blocked)), unit: 'ms', aim: 50 },
  ]
}

async function lookFigures(settled: SettledFleet): Promise<Figure[]> {
  const [first, again]: [number[], number[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    const windows = weekNights()
    const begun = cpuUsed()
    const before = look(settled, windows)
    first.push(cpuUsed() - begun)
    const next = cpuUsed()
    changesBetween(before, look(settled, windows))
    again.push(cpuUsed() - next)
  }
  return [
    { name: `look, ${count} nodes, new windows`, value: median(first), unit: 'ms', aim: 50 },
    { name: `look, ${count} nodes, again, and what changed`, value: median(again), unit: 'ms', aim: 50 },
  ]
}

function weekNights(): readonly Window[] {
  return [{ action: 'allow', schedule: '0 22 * * mon-thu', duration: 6 * HOUR, timeZone: 'Europe/Berlin' }]
}

function look({ parts }: SettledFleet, windows: readonly Window[]): FleetView {
  const pools = parts.decider.assessments().map(({ pool, state }) => ({
    name: pool.name,
    status: {},
    ...dashboardWindows(windows, Date.now()),
    waves: state.waves.map(({ name }) => name),
    members: state.members.map(({ node, progress, wave }) => ({ name: node.name, phase: progress.phase, wave })),
  }))
  return fleetView(pools)
}

interface Cost {
  readonly took: number
  readonly blocked: number
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  let [blocked, isDone] = [0, false]
  const begun = cpuUsed()
  const working = work().finally(() => {
    isDone = true
  })
  for (let last = begun; !isDone; last = cpuUsed()) {
    await nextTurn()
    blocked = Math.max(blocked, cpuUsed() - last)
  }
  await working
  return { took: cpuUsed() - begun, blocked }
}
