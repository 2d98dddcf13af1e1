import { resolve } from 'node:path'
import { CONTROL_PLANE_PODS, CONTROL_PLANE_SELECTOR, projectControlPlanePod } from '../../controller/control-plane-pods.ts'
import { projectNode } from '../../controller/node-view.ts'
import { execAuth } from '../../kube/exec-auth.ts'
import { findConnection } from '../../kube/find-connection.ts'
import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import { createKubeClient } from '../../kube/kube-client.ts'
import { namesFor } from '../../protocol/names.ts'
import { type ControlPlaneView, isControlPlaneNode } from '../../rollout/control-plane.ts'
import type { CliIo } from '../cli-io.ts'

export interface ControlPlaneSource {
  /** Said by a person; then no cluster is asked. */
  readonly serverVersion: readonly string[]
  /** A file of nodes: then there is no cluster either. */
  readonly nodes?: string | undefined
  readonly kubeconfig?: string | undefined
}

/** @returns undefined when nobody says what the API servers are. @throws {Error} when the cluster cannot be asked. */
export async function readControlPlane(io: CliIo, source: ControlPlaneSource): Promise<ControlPlaneView | undefined> {
  const { serverVersion, nodes } = source
  if (serverVersion.length > 0) return { nodes: [], instances: [], answers: serverVersion }
  if (nodes !== undefined) return undefined
  return controlPlaneOf(await clusterOf(io, source))
}

/** @throws {Error} when nobody says which. */
export async function clusterOf(io: CliIo, { kubeconfig }: Pick<ControlPlaneSource, 'kubeconfig'>): Promise<KubeApi> {
  const named = kubeconfig === undefined ? {} : { kubeconfig: resolve(io.cwd, kubeconfig) }
  return createKubeClient(await findConnection({ ...named, env: io.env, plugin: execAuth }))
}

async function controlPlaneOf(kube: KubeApi): Promise<ControlPlaneView> {
  const { gitVersion } = Object(await kube.get<unknown>('/version'))
  const nodes = await kube.list('/api/v1/nodes', { project: (object) => projectNode(namesFor())(object).view })
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
