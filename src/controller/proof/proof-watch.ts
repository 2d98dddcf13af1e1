import type { KubeObject } from '../../kube/kube-api.ts'
import type { ProofPod, ProofPods } from '../../rollout/model/node-view.ts'
import { type Following, followCollection } from '../cache/follow-collection.ts'
import { ObjectCache } from '../cache/object-cache.ts'
import { type Complaint, type ProofFacts, projectComplaint, projectProofPod, withComplaint } from './proof-facts.ts'
import { OUR_PODS, PROOF_EVENTS, PROOF_PODS } from './proof-pod.ts'

/** Milliseconds. An API server sends no bookmarks for events, and where every pod starts there are none. */
const QUIET = 30 * 60_000

/** The pods that prove nodes, those of an earlier controller too, and what kubelets complain of: there are few of both. */
export class ProofWatch {
  readonly #pods: ObjectCache<ProofFacts>
  readonly #complaints: ObjectCache<Complaint>
  /** Undefined until they were read once. */
  #state: 'known' | { readonly why: string } | undefined
  /** As last read; forgotten as soon as anything changes. */
  #told: ProofPods | undefined
  #byPool = new Map<string, ProofPods>()
  readonly #changed: () => void

  constructor(options: Following) {
    const changed = (): void => {
      this.#told = undefined
      options.changed()
    }
    this.#changed = changed
    this.#pods = new ObjectCache<ProofFacts>(changed)
    this.#complaints = new ObjectCache<Complaint>(changed)
    const see = (state: 'known' | { readonly why: string }): void => {
      this.#state = state
      changed()
    }
    followCollection(options, {
      path: PROOF_PODS,
      cache: this.#pods,
      project: projectProofPod,
      labelSelector: OUR_PODS,
      onListed: () => see('known'),
      onRefused: (error) => see({ why: (error as Error).message }),
    }).catch(() => undefined)
    // Without them a failure has fewer words, and is one all the same.
    followCollection(options, {
      path: PROOF_EVENTS,
      cache: this.#complaints,
      project: projectComplaint,
      fieldSelector: 'involvedObject.kind=Pod,type=Warning',
      stallAfter: QUIET,
    }).catch(() => undefined)
  }

  /** A pod of ours that the server has just made. */
  made(pod: KubeObject): void {
    this.#pods.wrote(projectProofPod(pod))
    this.#changed()
  }

  /** The node of a pod that is there. */
  nodeOf(uid: string): string | undefined {
    return [...this.#pods.items.values()].find(({ pod }) => pod.uid === uid)?.pod.node
  }

  /** All of them, by node; undefined while nothing was read. */
  get pods(): ProofPods | undefined {
    this.#told ??= this.#tell()
    return this.#told
  }

  /** Of the nodes of one pool. The same object for as long as nothing changed there. */
  podsOf(pool: string, nodes: readonly { readonly name: string }[]): ProofPods | undefined {
    const all = this.pods
    if (all?.kind !== 'known') return all
    const own = all.pods.size === 0 ? [] : nodes.flatMap(({ name }) => all.pods.get(name) ?? [])
    const before = this.#byPool.get(pool)
    if (before?.kind === 'known' && isSame([...before.pods.values()], own)) return before
    const pods: ProofPods = { kind: 'known', pods: new Map(own.map((pod) => [pod.node, pod])) }
    this.#byPool.set(pool, pods)
    return pods
  }

  #tell(): ProofPods | undefined {
    if (this.#state === undefined) return undefined
    if (this.#state !== 'known') return { kind: 'unknown', why: this.#state.why }
    const complaints = [...this.#complaints.items.values()]
    return {
      kind: 'known',
      pods: new Map([...this.#pods.items.values()].map(({ pod }) => [pod.node, withComplaint(pod, complaints)])),
    }
  }
}

function isSame(a: readonly ProofPod[], b: readonly ProofPod[]): boolean {
  return a.length === b.length && a.every((pod, index) => pod === b[index])
}
