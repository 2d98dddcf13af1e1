import { projectNode } from '../../controller/cache/cluster-node.ts'
import { CONTROL_PLANE_PODS, CONTROL_PLANE_SELECTOR, projectControlPlanePod } from '../../controller/cache/control-plane-pods.ts'
import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import { namesFor } from '../../protocol/names.ts'
import { type ControlPlaneView, isControlPlaneNode } from '../../rollout/control-plane/control-plane-view.ts'
import type { CliIo } from '../cli-io.ts'
import { type ClusterFlags, connectTo } from '../cluster.ts'

export interface ControlPlaneSource extends ClusterFlags {
  /** Said by a person; then no cluster is asked. */
  readonly serverVersion: readonly string[]
  /** A file of nodes: then there is no cluster either. */
  readonly nodes?: string | undefined
}

/** @returns undefined when nobody says what the API servers are. @throws {Error} when the cluster cannot be asked. */
export async function readControlPlane(io: CliIo, source: ControlPlaneSource): Promise<ControlPlaneView | undefined> {
  const { serverVersion, nodes } = source
  if (serverVersion.length > 0) return { nodes: [], instances: [], answers: serverVersion }
  if (nodes !== undefined) return undefined
  return controlPlaneOf(await connectTo(io, source))
}

async function controlPlaneOf(kube: KubeApi): Promise<ControlPlaneView> {
  const { gitVersion } = Object(await kube.get<unknown>('/version'))
  const project = projectNode(namesFor())
  const nodes = await kube.list('/api/v1/nodes', { project: (object) => project(object).view })
  const hosts = nodes.items.filter(isControlPlaneNode)
  return { nodes: hosts, instances: await instancesIn(kube), answers: [String(gitVersion)] }
}

/** Not everybody who may plan may look into kube-system: then the server that is asked stands for all. */
async function instancesIn(kube: KubeApi): Promise<ControlPlaneView['instances']> {
  try {
    const options = { project: projectControlPlanePod, labelSelector: CONTROL_PLANE_SELECTOR }
    return (await kube.list(CONTROL_PLANE_PODS, options)).items.map(({ instance }) => instance)
  } catch (error) {
    if (error instanceof KubeError && error.code === 403) return []
    throw error
  }
}
