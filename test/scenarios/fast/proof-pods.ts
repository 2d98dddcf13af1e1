import type { StartProof } from '../../../src/rollout/model/decision.ts'
import type { ProofPod } from '../../../src/rollout/model/node-view.ts'
import type { Effect } from './effect.ts'
import type { SimNode } from './sim-node.ts'

/** The pods that prove nodes, as the API server keeps them, and the kubelets that run them. */
export class ProofPods {
  readonly #byNode = new Map<string, ProofPod>()
  #made = 0

  get all(): ReadonlyMap<string, ProofPod> {
    return new Map(this.#byNode)
  }

  /** Another one of that name is refused. */
  start({ node, digest, assignedAt, at: startedAt }: StartProof['pod']): void {
    if (this.#byNode.has(node)) return
    const uid = `proof ${++this.#made}`
    this.#byNode.set(node, { node, name: node, uid, digest, assignedAt, startedAt, state: 'Pending' })
  }

  remove(uid: string): void {
    for (const [node, pod] of this.#byNode) if (pod.uid === uid) this.#byNode.delete(node)
  }

  /** What the kubelet of the node does next. */
  step({ name, active, dead, offline, shown }: SimNode, effectOf: (content: string) => Effect): void {
    const pod = this.#byNode.get(name)
    if (pod?.state !== 'Pending' || dead || offline || !shown.ready) return
    if (effectOf(active) !== 'mute') this.#byNode.set(name, { ...pod, state: 'Running' })
    else this.#byNode.set(name, { ...pod, message: 'FailedCreatePodSandBox: no network' })
  }
}
