import { DEFAULT_TIMES } from '../../simulate/agent-times.ts'
import type { GivenNode } from '../../simulate/given-node.ts'
import { nodeObject } from '../../simulate/node-objects.ts'
import { type SimulatedRollout, simulateFleet } from '../../simulate/simulate-fleet.ts'
import type { Moment, SimulatedPool } from '../../simulate/simulation.ts'
import type { ChangeOptions, FleetChange } from '../change.ts'
import type { CliIo } from '../cli-io.ts'
import { counted } from '../paint.ts'
import { progressOn } from '../progress.ts'
import { DAY } from './options.ts'
import { serverVersionsOf } from './server-versions.ts'
import { formatSpan, momentText } from './simulation-text.ts'

/** Larger fleets are never done within our patience: a node costs about a millisecond. */
const MOST_NODES = 5_000
const TOO_LARGE = `not made for more than ${MOST_NODES} nodes: nodewave simulate`
/** Milliseconds that whoever waits for a plan waits for its estimate; node by node, even a small fleet may take longer. */
const PATIENCE = 5_000

export interface Estimated {
  readonly change: FleetChange
  readonly options: Pick<ChangeOptions, 'serverVersion' | 'nodes' | 'kubeconfig' | 'context'>
  readonly nodes: readonly GivenNode[]
}

/** How the rollout of a plan would go. */
export interface Estimate {
  /** In a line. */
  readonly text: string
  readonly rollouts: readonly SimulatedPool[]
  readonly startsAt: number
  readonly endsAt: number
}

/** With agents that need the usual time; of a large fleet it only says who simulates it. */
export async function estimate(io: CliIo, { change, options, nodes }: Estimated): Promise<Estimate> {
  const startsAt = io.now()
  if (nodes.length > MOST_NODES) return { text: TOO_LARGE, rollouts: [], startsAt, endsAt: startsAt }
  const progress = progressOn(io)
  const began = io.now()
  let last: Moment = { at: startsAt, nodes: { current: 0, total: nodes.length } }
  const goOn = (moment: Moment): boolean => {
    last = moment
    progress.tell(momentText(moment, { startsAt, elapsed: io.now() - began }))
    return io.now() < startsAt + PATIENCE
  }
  const simulated = await simulateFleet({
    from: change.from?.snapshot,
    to: change.to.snapshot,
    load: change.load,
    cluster: change.to.model.cluster?.name,
    nodes: nodes.map((node) => nodeObject(node, startsAt)),
    pods: [],
    ...{ startsAt, within: 30 * DAY, times: DEFAULT_TIMES, fails: new Set<string>(), goOn },
    serverVersions: await serverVersionsOf(io, { options, model: change.to.model, nodes }),
  })
  progress.end()
  const { endsAt, pools } = simulated
  return { text: inALine(simulated, last.nodes), rollouts: pools, startsAt, endsAt }
}

function inALine({ outcome, startsAt, endsAt, peak, pools }: SimulatedRollout, reached: Moment['nodes']): string {
  const stopped = pools.find(({ isDone }) => !isDone)
  const cost = `at most ${counted(peak.nodes, 'node')} unavailable at once`
  if (outcome === 'Completed' || !stopped) return `about ${formatSpan(endsAt - startsAt)}, ${cost}`
  if (outcome === 'Unfinished')
    return `more than ${formatSpan(endsAt - startsAt)}; the estimate ends there, with ${reached.current} of ${counted(reached.total, 'node')} current and ${cost}; the whole rollout: nodewave simulate`
  return `does not complete by itself, ${stopped.pool} is ${stopped.end.reason}; ${cost}`
}
