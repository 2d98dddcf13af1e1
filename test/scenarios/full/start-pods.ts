import type { KubeApi, KubeObject } from '../../../src/kube/kube-api.ts'
import { runProofKubelets } from '../../../src/sim/fleet/proof-kubelets.ts'
import type { World } from './world.ts'

/** Milliseconds. */
const LOOK = 5_000

/** The kubelets run the pods that prove their nodes; what they say of a pod comes when the API server can be reached from there. */
export function startPods({ kube, clock, machines, ending: { signal } }: World): void {
  const patch = async (path: string, ...more: [unknown]): Promise<unknown> => {
    const { spec } = await kube.get<KubeObject>(path.replace(/\/status$/, ''))
    const { nodeName = '' } = spec as { readonly nodeName?: string }
    const host = machines.get(nodeName)?.host
    while (host && !signal.aborted && (host.faults.network === 'lost' || host.services.healthyVersion() === undefined))
      await clock.sleep(LOOK, signal)
    return kube.patch(path, ...more)
  }
  const started = (): Promise<void> => clock.sleep(LOOK, signal)
  void runProofKubelets({ kube: { ...kube, patch: patch as KubeApi['patch'] }, now: () => clock.now(), started, signal })
}
