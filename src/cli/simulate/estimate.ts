import type { FleetModel } from '../../repo/model.ts'
import type { CliIo } from '../cli-io.ts'
import { counted } from '../paint.ts'
import { readSnapshot } from '../read-fleet.ts'
import type { GivenNode, NodeSource } from '../read-nodes.ts'
import { DEFAULT_TIMES } from './agent-times.ts'
import { nodeObject } from './node-objects.ts'
import { DAY } from './options.ts'
import { serverVersionsOf } from './server-versions.ts'
import { simulateFleet } from './simulate-fleet.ts'
import { lasting } from './simulation-text.ts'

/** Larger fleets take too long to be simulated in passing. */
const MOST_NODES = 1_000

export interface Estimated {
  readonly path: string
  readonly options: NodeSource & { readonly from: string; readonly to?: string; readonly serverVersion: readonly string[] }
  readonly model: FleetModel
  readonly nodes: readonly GivenNode[]
}

/** In a line, how the roll-out of a plan would go, with agents that need the usual time. @returns undefined for a large fleet */
export async function estimate(io: CliIo, { path, options, model, nodes }: Estimated): Promise<string | undefined> {
  if (nodes.length > MOST_NODES) return undefined
  const startsAt = io.now()
  const { outcome, endsAt, peak, pools } = await simulateFleet({
    from: await readSnapshot(io, { path, revision: options.from }),
    to: await readSnapshot(io, { path, revision: options.to }),
    nodes: nodes.map((node) => nodeObject(node, startsAt)),
    pods: [],
    ...{ startsAt, within: 30 * DAY, times: DEFAULT_TIMES, fails: new Set<string>() },
    serverVersions: await serverVersionsOf(io, { options, model, nodes }),
  })
  const stopped = pools.find(({ isDone }) => !isDone)
  const cost = `at most ${counted(peak.nodes, 'node')} unavailable at once`
  if (outcome === 'Completed' || !stopped) return `about ${lasting(endsAt - startsAt)}, ${cost}`
  return `does not complete by itself, ${stopped.pool} is ${stopped.end.reason}; ${cost}`
}
