import type { FleetModel } from '../../repo/model.ts'
import { DEFAULT_TIMES } from '../../simulate/agent-times.ts'
import type { GivenNode } from '../../simulate/given-node.ts'
import { nodeObject } from '../../simulate/node-objects.ts'
import { simulateFleet } from '../../simulate/simulate-fleet.ts'
import type { Moment } from '../../simulate/simulation.ts'
import type { ChangeOptions } from '../change.ts'
import type { CliIo } from '../cli-io.ts'
import { counted } from '../paint.ts'
import { progressOn } from '../progress.ts'
import { readSnapshot } from '../read-fleet.ts'
import { DAY } from './options.ts'
import { serverVersionsOf } from './server-versions.ts'
import { lasting, momentText } from './simulation-text.ts'

/** Larger fleets take too long to be simulated in passing. */
const MOST_NODES = 15_000
/** Milliseconds that whoever waits for a plan waits for its estimate; node by node, even a small fleet may take longer. */
const PATIENCE = 10_000

export interface Estimated {
  readonly path: string
  readonly options: ChangeOptions
  readonly model: FleetModel
  readonly nodes: readonly GivenNode[]
}

/** In a line, how the rollout of a plan would go, with agents that need the usual time. @returns undefined for a large fleet */
export async function estimate(io: CliIo, { path, options, model, nodes }: Estimated): Promise<string | undefined> {
  if (nodes.length > MOST_NODES) return undefined
  const startsAt = io.now()
  const progress = progressOn(io)
  const goOn = (moment: Moment): boolean => {
    progress.tell(momentText(moment, startsAt))
    return io.now() < startsAt + PATIENCE
  }
  const { outcome, endsAt, peak, pools } = await simulateFleet({
    from: await readSnapshot(io, { path, revision: options.from }),
    to: await readSnapshot(io, { path, revision: options.to }),
    nodes: nodes.map((node) => nodeObject(node, startsAt)),
    pods: [],
    ...{ startsAt, within: 30 * DAY, times: DEFAULT_TIMES, fails: new Set<string>(), goOn },
    serverVersions: await serverVersionsOf(io, { options, model, nodes }),
  })
  progress.end()
  const stopped = pools.find(({ isDone }) => !isDone)
  const cost = `at most ${counted(peak.nodes, 'node')} unavailable at once`
  if (outcome === 'Completed' || !stopped) return `about ${lasting(endsAt - startsAt)}, ${cost}`
  if (outcome === 'Unfinished')
    return `more than ${lasting(endsAt - startsAt)} (the limit of this estimate; see nodewave simulate); until then ${cost}`
  return `does not complete by itself, ${stopped.pool} is ${stopped.end.reason}; ${cost}`
}
