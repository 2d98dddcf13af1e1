/** Fleets that the page is given to show, without a cluster behind them. */
import type { DashboardSource } from '../../../src/dashboard/dashboard-server.ts'
import { type FleetView, fleetView, type PoolConclusion } from '../../../src/dashboard/fleet-view.ts'
import type { NodeChangesView } from '../../../src/dashboard/node-changes-view.ts'
import type { PlanView } from '../../../src/dashboard/plan-view.ts'
import type { NodePhase } from '../../../src/protocol/node-pool.ts'

/** Markup in every text that others write. */
export const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'

/** @param text stands in everything that others write */
function aPlan(text: string): PlanView {
  return {
    commit: { revision: 'b'.repeat(12), subject: `more pods${text}`, author: `somebody${text}` },
    because: `needs promotion${text}`,
    ...{ summary: '2 of 3 nodes change, each node is drained', window: 'opens Tue 2026-11-24 22:00 UTC' },
    waves: [{ name: `canary${text}`, nodes: 1, conditions: 'soak 10m' }],
    groups: [
      { title: 'worker-1: each node is drained', reasons: [`why${text}`], changes: [['config.maxPods', '110', `200${text}`]] },
    ],
    remarks: [`1 node would change${text}`],
  }
}

/** @param text stands in everything that others write */
function someChanges(node: string, text: string): NodeChangesView {
  return {
    title: `bbbbbbbbbbbb on ${node}`,
    comparisons: [
      {
        title: `Compared with what it ran before, aaaaaaaaaaaa${text}`,
        remark: '',
        changes: [[`flags.node-labels${text}`, `old${text}`, `new${text}`]],
      },
      { title: 'Compared with the commit before, ccccccccccccc', remark: `Not in the memory${text}`, changes: [] },
    ],
  }
}

export class ShownFleet {
  #refusals = 1

  #fleet: FleetView

  constructor(pools: readonly PoolConclusion[]) {
    this.#fleet = fleetView(pools)
  }

  show(pools: readonly PoolConclusion[]): void {
    this.#fleet = fleetView(pools)
  }

  readonly source: DashboardSource = {
    fleet: () => this.#fleet,
    node: (name) => [
      ['pool', 'workers'],
      ['error', `${name} ${MARKUP}`],
    ],
    plan: async () => aPlan(MARKUP),
    // The controller has other work at first.
    changes: async (node) => {
      this.#refusals -= 1
      return this.#refusals < 0 ? someChanges(node, MARKUP) : 'busy'
    },
  }
}

/** Pools of a thousand nodes in three waves. The first `done` nodes of each pool have the commit. */
export function largeFleet(nodes: number, done: number): readonly PoolConclusion[] {
  const size = 1000
  return Array.from({ length: nodes / size }, (_, pool) => ({
    name: `pool-${String(pool).padStart(2, '0')}`,
    status: poolStatus({ current: done, total: size }),
    waves: ['canary', 'early', 'rest'],
    members: Array.from({ length: size }, (_, node) => ({
      name: `worker-${pool}-${node}`,
      phase: phaseOf(node, done),
      wave: node < 10 ? 0 : node < 250 ? 1 : 2,
    })),
  }))
}

function phaseOf(node: number, done: number): NodePhase {
  if (node < done) return 'Current'
  return node < done + 10 ? 'Applying' : 'Waiting'
}

export function smallFleet(text: string, phases: readonly NodePhase[]): readonly PoolConclusion[] {
  return [
    {
      name: `workers${text}`,
      status: {
        ...poolStatus({ current: 1, total: phases.length }, text),
        failed: [{ node: 'worker-1', reason: 'Unhealthy', message: text }],
        gates: [{ ...A_GATE, name: `slo${text}`, since: ago(1) }],
        history: [
          { ...commit(text), startedAt: ago(2), result: 'Running' },
          { ...commit(text), startedAt: ago(9), endedAt: ago(8), result: 'Completed' },
        ],
      },
      waiting: { revision: 'b'.repeat(40), subject: `more pods${text}`, author: '' },
      window: `opens${text}`,
      windows: [{ from: ago(-10), to: ago(-14) }],
      waves: [`canary${text}`, 'rest'],
      members: phases.map((phase, index) => ({ name: `worker-${index}`, phase, wave: index === 0 ? 0 : 1 })),
    },
  ]
}

function poolStatus(
  { current, total }: { readonly current: number; readonly total: number },
  text = '',
): PoolConclusion['status'] {
  const at = '2026-11-22T10:00:00Z'
  return {
    target: commit(text),
    nodes: { current, total, byPhase: {} },
    wave: { index: 2, count: 3, name: 'early' },
    conditions: [{ type: 'Ready', status: 'False', reason: 'RollingOut', message: `wave 2 of 3${text}`, lastTransitionTime: at }],
    history: [{ ...commit(text), startedAt: at, result: 'Running' }],
  }
}

const A_GATE = { name: 'slo', wave: 'canary', revision: 'a'.repeat(40), rollout: '', state: 'Passed' } as const

function commit(text: string) {
  return { revision: 'a'.repeat(40), fingerprint: 'f', subject: `kubelet 1.36.3${text}`, author: `somebody${text}` }
}

/** The page shows times around the present. */
function ago(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString()
}
