import { join } from 'node:path'
import { clustersOf } from '../../repo/load-fleet.ts'
import { type ChangeOptions, readChange } from '../change.ts'
import type { CliIo } from '../cli-io.ts'
import type { PlanView } from '../plan-view.ts'
import { readFiles } from '../read-fleet.ts'
import { makePlan } from './make-plan.ts'

export interface ClusterPlan {
  readonly cluster: string
  readonly view: PlanView
}

/** The plan of every cluster of the repository. @throws {Error} also when one is invalid */
export async function planEachCluster(
  io: CliIo,
  path: string,
  options: ChangeOptions & { readonly ceiling?: string },
): Promise<readonly ClusterPlan[]> {
  const { nodes: folder, from, to } = options
  if (folder === undefined) throw new Error('--all-clusters needs --nodes: a folder with a file NAME.json for each cluster')
  const clusters = clustersOf(await readFiles(io, { path, revision: to }))
  if (clusters.length === 0) throw new Error('the repository has no Clusters; leave out --all-clusters')
  const plans: ClusterPlan[] = []
  for (const cluster of clusters) {
    const change = await readChange(io, { path, options: { ...options, cluster }, warnOfConflicts: true })
    const own = { ...options, cluster, nodes: join(folder, `${cluster}.json`) }
    const view = await makePlan(io, { change, options: own, names: { from, to: to ?? 'working tree' } })
    plans.push({ cluster, view })
  }
  return plans
}
