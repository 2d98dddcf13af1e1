import { type KubeApi, KubeError } from '../../kube/kube-api.ts'
import type { Action, StartProof } from '../../rollout/model/decision.ts'
import type { ClusterNode } from '../cache/node-view.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { BackgroundWrites } from '../execution/background-writes.ts'
import { proofKey } from '../execution/write-failures.ts'
import { PROOF_PODS, proofPod, proofPodName } from './proof-pod.ts'

export type ProofWrite = StartProof | Extract<Action, { kind: 'removeProof' }>

export interface ProofWritesOptions {
  readonly kube: Pick<KubeApi, 'create' | 'delete'>
  readonly nodes: Pick<ObjectCache<ClusterNode>, 'get'>
  readonly background: Pick<BackgroundWrites, 'begin'>
}

/** Makes and removes the pods, one request at a time for each; what is asked again while that is under way is passed over. */
export class ProofWrites {
  readonly #options: ProofWritesOptions

  constructor(options: ProofWritesOptions) {
    this.#options = options
  }

  begin(write: ProofWrite): void {
    const { background } = this.#options
    if (write.kind === 'startProof') background.begin(proofKey(proofPodName(write.pod.node)), () => done(this.#start(write.pod)))
    else background.begin(proofKey(write.pod.name), () => done(this.#remove(write.pod)))
  }

  /** One that is there already, and is not seen yet, will be seen. */
  async #start(pod: StartProof['pod']): Promise<void> {
    const { kube, nodes } = this.#options
    const node = nodes.get(pod.node)
    if (!node) return
    try {
      await kube.create(PROOF_PODS, proofPod(pod, node.uid))
    } catch (error) {
      if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error
    }
  }

  /** At once: a kubelet that can end no pod would keep it for ever. Nothing in it has to end well. */
  async #remove({ name, uid }: { readonly name: string; readonly uid: string }): Promise<void> {
    try {
      await this.#options.kube.delete(`${PROOF_PODS}/${name}`, { body: { gracePeriodSeconds: 0, preconditions: { uid } } })
    } catch (error) {
      if (!(error instanceof KubeError && (error.code === 404 || error.reaction === 'conflict'))) throw error
    }
  }
}

async function done(work: Promise<void>): Promise<{ readonly isDone: true }> {
  await work
  return { isDone: true }
}
