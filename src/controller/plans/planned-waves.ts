import { ONE_WAVE, waveMembership, wavesOf, withFirstNode } from '../../rollout/exposure/waves.ts'
import type { RolloutPolicy, WavePolicy } from '../../rollout/model/policy.ts'
import type { PoolState } from '../../rollout/model/pool-state.ts'
import { isProven } from '../../rollout/model/remembered-revision.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { CompiledPool } from '../fleet/compiled-fleet.ts'
import type { ChangingNode } from './changing-nodes.ts'
import type { PlannedWave } from './pool-plan.ts'

interface Division {
  readonly waves: readonly WavePolicy[]
  /** By node; absent: no wave counts it. */
  readonly waveOf: ReadonlyMap<string, number | undefined>
}

/** Of a rollout under way: as it divides its nodes. */
export function wavesUnderWay({ waves, members }: Pick<PoolState, 'waves' | 'members'>): Division {
  return { waves, waveOf: new Map(members.map(({ node, wave }) => [node.name, wave])) }
}

/** Of one that has not begun: as it would divide the nodes that there are now. */
export function wavesToCome(
  pool: CompiledPool,
  { nodes, memory }: { readonly nodes: readonly ClusterNode[]; readonly memory: PoolState['rollout']['memory'] },
): Division {
  const views = nodes.map(({ view }) => view)
  const waves = withFirstNode(isProven(memory, pool) ? ONE_WAVE : wavesOf(pool.policy), { nodes: views })
  return { waves, waveOf: waveMembership(waves, { pool: pool.name, nodes: views }) }
}

export function plannedWaves(
  changing: readonly ChangingNode[],
  { waves, waveOf, gates = [] }: Division & Pick<RolloutPolicy, 'gates'>,
): readonly PlannedWave[] {
  const byWave = Map.groupBy(changing, ({ node }) => waveOf.get(node.name))
  return waves.flatMap(({ name, soak, manual }, index) => {
    const nodes = byWave.get(index)?.length ?? 0
    const after = gates.filter((gate) => gate.after === undefined || gate.after.includes(name))
    return nodes === 0 ? [] : [{ name, soak, manual, nodes, gates: after.map((gate) => gate.name) }]
  })
}
