import type { FleetModel } from '../../repo/model.ts'
import type { GivenNode } from '../../simulate/given-node.ts'
import type { CliIo } from '../cli-io.ts'
import { readControlPlane } from '../control-plane/read-control-plane.ts'
import type { SimulateOptions } from './options.ts'

type Source = Pick<SimulateOptions, 'serverVersion' | 'nodes' | 'kubeconfig' | 'context'>

/** As somebody says, or the cluster that the nodes are of; else as new as the newest kubelet that there is or is to be. */
export async function serverVersionsOf(
  io: CliIo,
  { options, model, nodes }: { readonly options: Source; readonly model: FleetModel; readonly nodes: readonly GivenNode[] },
): Promise<readonly string[]> {
  const view = await readControlPlane(io, options)
  if (view !== undefined) return view.answers.map((version) => version.replace(/^v/, ''))
  const wanted = [...model.pools.values()].flatMap(({ spec }) => spec.kubelet?.version ?? [])
  const running = nodes.flatMap(({ kubeletVersion }) => kubeletVersion?.replace(/^v/, '') ?? [])
  return [[...wanted, ...running, FALLBACK].sort(byVersion)[0] ?? FALLBACK]
}

/** Where no kubelet's version is known, none can be too new. */
const FALLBACK = '1.0.0'

/** The newest first. */
function byVersion(a: string, b: string): number {
  return b.localeCompare(a, 'en', { numeric: true })
}
