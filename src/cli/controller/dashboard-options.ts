import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FleetConclusions, FleetSource, Telemetry } from '../../controller/metrics/telemetry.ts'
import { startDashboard } from '../../dashboard/dashboard-server.ts'
import { type FleetView, fleetView, type PoolConclusion } from '../../dashboard/fleet-view.ts'
import type { NodeChangesView } from '../../dashboard/node-changes-view.ts'
import type { PlanView } from '../../dashboard/plan-view.ts'
import { parseNodeHistory } from '../../protocol/node-history.ts'
import type { Assessment } from '../../rollout/decide.ts'
import { nodeRunText } from '../history/node-history.ts'
import { nodeFacts } from '../status/node-facts.ts'
import { dashboardNodeChanges } from './dashboard-node-changes.ts'
import { dashboardPlan } from './dashboard-plan.ts'
import { dashboardWindows } from './dashboard-windows.ts'
import { RateLimited } from './rate-limited.ts'
import { RecentPlans } from './recent-plans.ts'

export interface DashboardOptions {
  readonly dashboardPort?: number
}

export function addDashboardOptions(command: Command): Command {
  return command.addOption(
    new Option(
      '--dashboard-port <port>',
      'serve a page that shows the fleet, on this port of 127.0.0.1 only. Default: off',
    ).argParser(parsePort),
  )
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError(
    'expected a port such as 8081; the page is served on 127.0.0.1, reach it by kubectl port-forward',
  )
}

export interface ServedDashboard extends AsyncDisposable {
  readonly telemetry: Telemetry
  readonly port: number
}

/** @param port 0: any that is free. @throws when it cannot be had */
export async function serveDashboard(port: number): Promise<ServedDashboard> {
  const look = new FleetLook()
  const server = await startDashboard({
    port,
    source: {
      ...{ fleet: () => look.fleet(), node: (name) => look.node(name) },
      ...{ plan: (pool) => look.plan(pool), changes: (node) => look.changes(node) },
    },
  })
  return { telemetry: look.telemetry, port: server.port, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

/** What the page shows, taken from the memory of the controller: no viewer costs a request to the API server. */
class FleetLook {
  #known: FleetSource | undefined
  #conclusions: FleetConclusions | undefined
  readonly #plans = new RecentPlans(() => performance.now())
  readonly #limited = new RateLimited(() => performance.now())
  readonly telemetry: Telemetry = {
    synced: (fleet) => {
      this.#known = fleet
    },
    leads: (conclusions) => {
      this.#conclusions = conclusions
    },
    passed: () => undefined,
    passFailed: () => undefined,
    writeSent: () => undefined,
    gitReadable: () => undefined,
    notifies: () => () => undefined,
  }

  fleet(): FleetView | undefined {
    const [known, conclusions] = [this.#known, this.#conclusions]
    if (!known || !conclusions) return undefined
    return fleetView(conclusions.assessments().map((assessment) => poolConclusion(assessment, { known, conclusions })))
  }

  async plan(name: string): Promise<PlanView | undefined> {
    const conclusions = this.#conclusions
    const assessment = conclusions?.assessments().find(({ pool }) => pool.name === name)
    if (!conclusions || !assessment) return undefined
    const waiting = conclusions.waiting(assessment)
    const about = waiting ? `${waiting.revision} waits` : assessment.state.rollout.target.revision
    return this.#plans.of(name, about, async () => {
      const found = await conclusions.plan(name)
      return found && dashboardPlan(found, dashboardWindows(assessment.pool.policy.windows, Date.now()).window)
    })
  }

  async changes(name: string): Promise<NodeChangesView | 'busy' | undefined> {
    const conclusions = this.#conclusions
    if (!conclusions || !this.#known?.nodes.items.has(name)) return undefined
    const found = await this.#limited.run(() => conclusions.nodeChanges(name))
    return found === 'busy' ? found : found && dashboardNodeChanges(found)
  }

  node(name: string): readonly (readonly [string, string])[] | undefined {
    const node = this.#conclusions && this.#known?.nodes.items.get(name)
    if (!node) return undefined
    const { status = {} } = this.#known?.pools.items.get(node.poolLabel ?? '') ?? {}
    const failed = status.failed?.find((candidate) => candidate.node === name)
    const earlier = parseNodeHistory(node.history).map(nodeRunText).join('\n')
    return [...Object.entries(nodeFacts(node, failed)), ...(earlier === '' ? [] : [['earlier', earlier] as const])]
  }
}

interface Looked {
  readonly known: FleetSource
  readonly conclusions: FleetConclusions
}

function poolConclusion(assessment: Assessment, { known, conclusions }: Looked): PoolConclusion {
  const { pool, state } = assessment
  return {
    name: pool.name,
    status: known.pools.items.get(pool.name)?.status ?? {},
    waiting: conclusions.waiting(assessment),
    ...dashboardWindows(pool.policy.windows, Date.now()),
    waves: state.waves.map(({ name }) => name),
    members: state.members.map(({ node, progress, wave }) => ({ name: node.name, phase: progress.phase, wave })),
  }
}
