import type { Assessment } from '../rollout/decide.ts'
import type { ControllerParts } from './controller-parts.ts'
import type { CompiledFleet } from './fleet/compiled-fleet.ts'
import type { FleetConclusions } from './metrics/telemetry.ts'
import { changingNodes } from './plans/changing-nodes.ts'
import { groupChanges } from './plans/group-changes.ts'
import { SYSTEM_TURNS } from './plans/in-slices.ts'
import { type NodeChanges, nodeChanges } from './plans/node-changes.ts'
import { plannedWaves, wavesToCome, wavesUnderWay } from './plans/planned-waves.ts'
import type { PoolPlan } from './plans/pool-plan.ts'
import { type Waiting, waitingCommit } from './plans/upcoming.ts'
import { assignMembers } from './snapshot/assign-members.ts'
import { revisionsInUse } from './snapshot/gather.ts'

export interface ConclusionSources extends Pick<ControllerParts, 'decider' | 'cluster' | 'library' | 'renderer' | 'roster'> {
  readonly intake: Pick<ControllerParts['intake'], 'state'>
}

/** What a controller that leads concludes. Nothing is computed before somebody asks. */
export function conclusionsOf(parts: ConclusionSources): FleetConclusions {
  const { decider, intake } = parts
  const waiting = (assessment: Assessment) => waitingCommit(assessment, intake.state)
  return {
    assessments: () => decider.assessments(),
    waiting: (assessment) => waiting(assessment)?.commit,
    plan: async (name) => {
      const assessment = decider.assessments().find(({ pool }) => pool.name === name)
      return assessment && planOf(parts, assessment, waiting(assessment))
    },
    nodeChanges: (name) => changesOf(parts, name),
  }
}

async function changesOf(
  { intake, cluster, library, renderer, roster }: ConclusionSources,
  name: string,
): Promise<NodeChanges | undefined> {
  const { fleet: head } = intake.state
  const node = cluster.nodes.get(name)
  if (!head || !node) return undefined
  const kept = library.kept()
  return nodeChanges(node, { revisions: await revisionsInUse({ cluster, library, roster }, { head, kept }), kept, renderer })
}

async function planOf(
  { intake, cluster, library, renderer, roster }: ConclusionSources,
  { pool: { name }, state }: Assessment,
  waiting: Waiting | undefined,
): Promise<PoolPlan | undefined> {
  const { fleet: head, heldFleet } = intake.state
  if (!head || (!waiting && state.rollout.state !== 'InProgress')) return undefined
  const revisions = await revisionsInUse({ cluster, library, roster }, { head, kept: library.kept() })
  const fleet = waiting ? (waiting.isUnaccepted ? heldFleet : head) : revisions.get(state.rollout.target.revision)
  const pool = fleet?.pools.get(name)
  if (!fleet || !pool) return undefined
  const nodes = assignMembers(fleet, cluster.nodes.items.values()).byPool.get(name) ?? []
  const { changing, contentsOf, ...found } = await changingNodes({ pool, nodes, revisions, renderer }, SYSTEM_TURNS)
  const division = waiting ? wavesToCome(pool, { nodes, memory: state.rollout.memory }) : wavesUnderWay(state)
  return {
    commit: commitOf(fleet),
    ...(waiting && { because: waiting.commit.because }),
    ...{ total: nodes.length, changing: changing.length, ...found },
    waves: plannedWaves(changing, { ...division, ...(pool.policy.gates && { gates: pool.policy.gates }) }),
    ...(await groupChanges({ changing, contentsOf }, pool, SYSTEM_TURNS)),
  }
}

function commitOf({ commit, subject, author }: CompiledFleet): PoolPlan['commit'] {
  return { revision: commit, subject, author }
}
