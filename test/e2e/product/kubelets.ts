/** The kubelets of a cluster as processes: two equal answers mean that none was restarted in between. */
import { isDeepStrictEqual } from 'node:util'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { check } from '../scenario.ts'

export type Kubelets = Readonly<Record<string, { readonly pid: string; readonly started: string }>>

export async function kubeletsOf({ nodes }: Cluster): Promise<Kubelets> {
  const units = nodes.map(async (node) => {
    const { MainPID, ExecMainStartTimestamp } = await node.unit()
    return [node.name, { pid: MainPID, started: ExecMainStartTimestamp }] as const
  })
  return Object.fromEntries(await Promise.all(units))
}

export async function checkNotRestarted(cluster: Cluster, before: Kubelets): Promise<void> {
  const after = await kubeletsOf(cluster)
  check('no kubelet was restarted', isDeepStrictEqual(before, after), { before, after })
}

/** The kubelet's own answer on the node itself: a Node stays Ready for most of a minute after its kubelet died. */
export async function isHealthy(node: Node): Promise<boolean> {
  return (await node.output(['curl', '-fsS', 'http://127.0.0.1:10248/healthz'])) === 'ok'
}
