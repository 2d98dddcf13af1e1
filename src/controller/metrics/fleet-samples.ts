import type { NodePoolStatus } from '../../protocol/node-pool.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import { merged, type Sample } from './sample.ts'
import type { FleetSource } from './telemetry.ts'

/** A gauge that tells of the fleet, read when somebody asks. */
export interface FleetGauge {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly samples: (fleet: FleetSource) => readonly Sample[]
}

type Status = Partial<NodePoolStatus>

export const FLEET_GAUGES: readonly FleetGauge[] = [
  ofPools('nodewave_pool_nodes', 'Nodes of a pool by phase.', ['phase'], ({ nodes }) =>
    Object.entries(nodes?.byPhase ?? {}).map(([phase, value]) => ({ labels: { phase }, value })),
  ),
  ofPools(
    'nodewave_pool_condition',
    '1 for the conditions of a pool as they are.',
    ['type', 'status', 'reason'],
    ({ conditions }) => (conditions ?? []).map(({ type, status, reason }) => ({ labels: { type, status, reason }, value: 1 })),
  ),
  ofPools('nodewave_pool_revision', '1 for the commit that nodes of the pool change to.', ['revision'], ({ target }) =>
    target ? [{ labels: { revision: target.revision }, value: 1 }] : [],
  ),
  ofPools('nodewave_pool_wave', 'Number of the wave under way, from 1; absent without a rollout.', ['wave'], ({ wave }) =>
    wave ? [{ labels: { wave: wave.name }, value: wave.index }] : [],
  ),
  ofPools('nodewave_pool_waves', 'Waves of the rollout under way.', [], ({ wave }) => (wave ? single(wave.count) : [])),
  ofPools('nodewave_pool_failed_nodes', 'Nodes that failed; at most 50 are counted.', [], ({ failed }) =>
    single(failed?.length ?? 0),
  ),
  ofPools('nodewave_pool_held_nodes', 'Nodes that an operator holds; at most 50 are counted.', [], ({ held }) =>
    single(held?.length ?? 0),
  ),
  ofPools(
    'nodewave_pool_paused',
    '1 while the pool or the fleet is paused.',
    [],
    ({ observedControls: { paused, fleetPaused } = {} }) => single((paused ?? fleetPaused) === undefined ? 0 : 1),
  ),
  ofPools(
    'nodewave_rollout_start_timestamp_seconds',
    'When the newest rollout of the pool began.',
    [],
    ({ history: [last] = [] }) => (last ? single(Date.parse(last.startedAt) / 1000) : []),
  ),
  ofPools(
    'nodewave_rollout_duration_seconds',
    'How long the last ended rollout of the pool took.',
    ['result'],
    ({ history = [] }) => history.flatMap(durationOf).slice(0, 1),
  ),
  {
    name: 'nodewave_agents',
    help: 'Nodes by the version of their agent; without version: no agent has reported.',
    labels: ['pool', 'version'],
    samples: (fleet) => countBy(fleet, ({ view }) => ({ version: view.status?.agent ?? '' })),
  },
  {
    name: 'nodewave_kubelets',
    help: 'Nodes by the version of their kubelet.',
    labels: ['pool', 'version'],
    samples: (fleet) => countBy(fleet, ({ view }) => ({ version: view.kubeletVersion })),
  },
  {
    name: 'nodewave_drifted_nodes',
    help: 'Nodes on which something is not as it was applied.',
    labels: ['pool'],
    samples: (fleet) => countBy(fleet, ({ view }) => (view.status?.drift?.length ? {} : undefined)),
  },
  {
    name: 'nodewave_nodes_to_reboot',
    help: 'Nodes whose host has to reboot.',
    labels: ['pool'],
    samples: (fleet) => countBy(fleet, ({ view }) => view.status?.reboot && {}),
  },
]

function ofPools(
  name: string,
  help: string,
  labels: readonly string[],
  samplesOf: (status: Status) => readonly Sample[],
): FleetGauge {
  return {
    name,
    help,
    labels: ['pool', ...labels],
    samples: ({ pools }) =>
      [...pools.items.values()].flatMap((pool) =>
        samplesOf(pool.status).map(({ labels, value }) => ({ labels: { pool: pool.name, ...labels }, value })),
      ),
  }
}

function single(value: number): readonly Sample[] {
  return [{ labels: {}, value }]
}

function durationOf({ result, startedAt, endedAt }: NodePoolStatus['history'][number]): readonly Sample[] {
  if (endedAt === undefined) return []
  return [{ labels: { result }, value: (Date.parse(endedAt) - Date.parse(startedAt)) / 1000 }]
}

/**
 * Nodes of each pool. A label that names no pool counts for none: others than the controller may write it.
 * @param labelsOf nothing for a node that does not count
 */
function countBy(
  { nodes, pools }: FleetSource,
  labelsOf: (node: ClusterNode) => Readonly<Record<string, string>> | undefined,
): readonly Sample[] {
  const samples = [...nodes.items.values()].flatMap((node) => {
    const { poolLabel: pool } = node
    const labels = pool !== undefined && pools.items.has(pool) && labelsOf(node)
    return labels ? [{ labels: { pool, ...labels }, value: 1 }] : []
  })
  return merged(samples)
}
