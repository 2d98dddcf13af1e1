import { planFleet } from '../../render/plan-fleet.ts'
import { readCeilingFile } from '../ceiling/ceiling-file.ts'
import { readCeiling } from '../ceiling/read-ceiling.ts'
import type { ChangeOptions, FleetChange } from '../change.ts'
import type { CliIo } from '../cli-io.ts'
import { readControlPlane } from '../control-plane/read-control-plane.ts'
import { nodesOfChange } from '../fake-nodes.ts'
import { hasErrors, type PlanView, viewPlan } from '../plan-view.ts'
import { estimate } from '../simulate/estimate.ts'
import { assignedFacts } from './assigned-facts.ts'
import { readKnownPools } from './known-pools.ts'
import { withEstimate } from './with-estimate.ts'

export interface PlanInput {
  readonly change: FleetChange
  /** Where nodes, versions of API servers and the Ceiling come from. */
  readonly options: Pick<
    ChangeOptions,
    'serverVersion' | 'nodes' | 'fakeNodes' | 'kubeconfig' | 'context' | 'cluster' | 'annotationPrefix'
  > & {
    readonly ceiling?: string
  }
  /** Of both ends, for people. */
  readonly names: { readonly from: string; readonly to: string }
}

/** What a change does to the nodes, and how its rollout would go. @throws {Error} when nodes or the cluster cannot be read */
export async function makePlan(io: CliIo, { change, options, names }: PlanInput): Promise<PlanView> {
  const { from, to } = change
  const { nodes, source } = await nodesOfChange(io, { model: to.model, options })
  const controlPlane = await readControlPlane(io, source)
  const known = await readKnownPools(io, source)
  const ceiling = await (options.ceiling === undefined ? readCeiling(io, source) : readCeilingFile(io, options.ceiling))
  const models = { before: from?.model, model: to.model }
  const context = { ...models, nodes, controlPlane, known, ceiling, now: io.now(), ...names }
  const view = viewPlan(planFleet({ from: from?.model, to: to.model, nodes, factsAt: assignedFacts(nodes) }), context)
  if (hasErrors(view) || view.pools.every(({ touched }) => touched.length === 0)) return view
  return withEstimate(view, await estimate(io, { change, options: source, nodes }))
}
