import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS, PROOF_NAMESPACE } from '../../protocol/names.ts'
import type { Action, StartProof } from '../../rollout/model/decision.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { Log } from '../log/log.ts'
import type { BackgroundWrites } from '../writes/background-writes.ts'
import { proofKey } from '../writes/write-failures.ts'
import { OUR_PODS, PROOF_PODS, proofPod, proofPodName } from './proof-pod.ts'

export type ProofWrite = StartProof | Extract<Action, { kind: 'removeProof' }>

export interface ProofWritesOptions {
  readonly kube: Pick<KubeApi, 'create' | 'delete' | 'list'>
  readonly nodes: Pick<ObjectCache<ClusterNode>, 'get'>
  readonly background: Pick<BackgroundWrites, 'begin'>
  /** Called with each pod that was made, long before a watch may show it: nothing has to ask for it again. */
  readonly made: (pod: KubeObject) => void
  readonly log: Log
}

/** Who has taken so many names will take the next one, too. */
const MAX_STRANGERS = 3

interface PodIdentity {
  readonly name: string
  readonly uid: string
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

  /** One of ours that is there already, and is not seen yet, will be seen. A pod of somebody else never proves the node: it stays, under its name. */
  async #start(pod: StartProof['pod']): Promise<void> {
    const node = this.#options.nodes.get(pod.node)
    const strangers: PodIdentity[] = []
    while (node && strangers.length < MAX_STRANGERS) {
      const name = proofPodName(
        pod.node,
        strangers.map(({ uid }) => uid),
      )
      if (await this.#create(proofPod(pod, { name, uid: node.uid }))) return
      const stranger = await this.#strangerAt(name)
      if (!stranger) return
      this.#options.log('warn', `the name of a pod that is to prove "${pod.node}" is taken; another name is used`, {
        ...stranger,
      })
      strangers.push(stranger)
    }
    if (node) throw takenBy(strangers)
  }

  /** @returns whether no pod had the name. */
  async #create(pod: object): Promise<boolean> {
    try {
      const made = await this.#options.kube.create<KubeObject>(PROOF_PODS, pod)
      if (isOurs(made)) this.#options.made(made)
      return true
    } catch (error) {
      if (error instanceof KubeError && error.reason === 'AlreadyExists') return false
      throw error
    }
  }

  /** Undefined: the pod is ours, or gone by now. */
  async #strangerAt(name: string): Promise<PodIdentity | undefined> {
    const project = (pod: KubeObject) => ({ isOurs: isOurs(pod), uid: pod.metadata.uid ?? '' })
    const { items } = await this.#options.kube.list(PROOF_PODS, { project, fieldSelector: `metadata.name=${name}` })
    const stranger = items.find(({ isOurs }) => !isOurs)
    return stranger && { name, uid: stranger.uid }
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

/** One that lost its label is seen by no watch of ours. */
function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[OBJECT_KEYS.managedBy] === MANAGER
}

function takenBy(strangers: readonly PodIdentity[]): Error {
  const names = strangers.map(({ name }) => `"${name}"`).join(', ')
  return new Error(
    `pods ${names} in the namespace ${PROOF_NAMESPACE} lack the label ${OUR_PODS}: remove them, or what takes the label off`,
  )
}

async function done(work: Promise<void>): Promise<{ readonly isDone: boolean }> {
  await work
  return { isDone: true }
}
