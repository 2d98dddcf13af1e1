import { CONTROLLER } from '../../test/e2e/product/controller.ts'
import type { Rollout } from './kwok-rollout.ts'
import type { PatchRate } from './patch-rate.ts'
import type { Figure } from './report.ts'

const WRITES = ['create', 'update', 'patch', 'delete']
/** Requests of a kind that are fewer a node are part of no node's cost: status, payloads, watches. */
const LEAST = 0.005

export interface Measured {
  readonly name: string
  readonly count: number
  /**
   * Which nobody can do without: assigned, taken, done; and where the version is another one, the kubelet tells it. The Role by which nodes
   * read their payloads is written once for many.
   */
  readonly writes: number
  /** What the server granted before and after. */
  readonly rates: readonly PatchRate[]
}

/** What a rollout took, beside what its writes alone would have. */
export function rolloutFigures({ load, firstAssigned, completed, requests, cpu }: Rollout, measured: Measured): Figure[] {
  const { name, count, rates } = measured
  const rate = mean(rates.map((each) => each.rate))
  const floor = (measured.writes * count) / rate
  const written = requests.filter(({ verb }) => WRITES.includes(verb)).length
  const refused = requests.filter(({ code }) => code >= 400).length
  const seconds = completed / 1000
  return [
    { name: `${name}: load average before`, value: load, unit: 'running' },
    { name: `${name}: patches granted, before and after`, value: rate, unit: 'a second' },
    { name: `${name}: push until first assigned`, value: firstAssigned / 1000, unit: 's' },
    { name: `${name}: push until Completed`, value: seconds, unit: 's' },
    { name: `${name}: floor, ${measured.writes} writes a node at that rate`, value: floor, unit: 's' },
    { name: `${name}: push until Completed, to the floor`, value: seconds / floor, unit: 'times', aim: 1.2 },
    {
      name: `${name}: first assigned until Completed, to the floor`,
      value: seconds / floor - firstAssigned / 1000 / floor,
      unit: 'times',
    },
    ...requestFigures(requests, { name, count }),
    { name: `${name}: writes by all`, value: written / count, unit: 'per node' },
    { name: `${name}: requests that were refused`, value: refused, unit: 'requests' },
    { name: `${name}: CPU of the controller`, value: cpu.controller / count, unit: 'ms a node' },
    { name: `${name}: CPU of the agents`, value: cpu.agents / count, unit: 'ms a node' },
    { name: `${name}: CPU of the control plane`, value: cpu.servers / written, unit: 'ms a write' },
    { name: `${name}: the same for patches alone`, value: mean(rates.map((each) => each.cpu)), unit: 'ms a write' },
  ]
}

/** Of the controller, all together and by kind. */
function requestFigures(requests: Rollout['requests'], { name, count }: Pick<Measured, 'name' | 'count'>): Figure[] {
  const own = requests.filter(({ user }) => user === CONTROLLER)
  const byKind = [...Map.groupBy(own, ({ verb, resource }) => `${verb} ${resource}`)]
    .map(([kind, those]) => ({ name: `${name}: of them ${kind}`, value: those.length / count, unit: 'per node' as const }))
    .filter(({ value }) => value >= LEAST)
    .sort((a, b) => b.value - a.value)
  return [{ name: `${name}: requests of the controller`, value: own.length / count, unit: 'per node', aim: 3 }, ...byKind]
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}
