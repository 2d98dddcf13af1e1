import { isUnderDrain } from '../../../src/rollout/model/cordon.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import type { Instant } from '../../../src/rollout/model/instant.ts'
import type { NodePods, PodView } from '../../../src/rollout/model/node-view.ts'
import type { SimPod } from './workload.ts'
import type { CachedNode, World } from './world.ts'

/** Pods of nodes under drain, as the controller has seen them, and what became of its evictions. */
export class PodsSeen {
  readonly #world: World
  readonly #clockOff: number
  #pods: ReadonlyMap<string, readonly PodView[]> = new Map()
  readonly #refused = new Map<string, Instant>()
  readonly #evicted = new Set<string>()

  constructor(world: World, clockOff: number) {
    this.#world = world
    this.#clockOff = clockOff
  }

  /** Late, like all that is heard: nodes that are under drain as far as is known, with their pods as they were then. */
  hear(nodes: Iterable<CachedNode>): void {
    const drained = [...nodes].filter(({ view }) => isUnderDrain(view))
    this.#pods = new Map(drained.map(({ name }) => [name, this.#world.workload.on(name).map(podView)]))
  }

  /** Of a node that is not under drain, nothing stays known: when it is drained again, its pods are read again. */
  forget(known: (name: string) => CachedNode | undefined): void {
    const isDrained = (name: string): boolean => isUnderDrain(known(name)?.view ?? { unschedulable: false })
    this.#pods = new Map([...this.#pods].filter(([name]) => isDrained(name)))
  }

  evict({ pod: { uid } }: Extract<Action, { kind: 'evict' }>): void {
    const { workload, nodes, now } = this.#world
    if (workload.evict(uid, nodes) === 'refused') this.#refused.set(uid, now + this.#clockOff + 5_000)
    else this.#evicted.add(uid)
  }

  now(): ReadonlyMap<string, NodePods> {
    return new Map(
      [...this.#pods].map(([name, pods]) => [name, { kind: 'known', pods: pods.map((pod) => this.#withAnswers(pod)) }] as const),
    )
  }

  #withAnswers(pod: PodView): PodView {
    const until = this.#refused.get(pod.uid)
    const refusal = until === undefined ? {} : { refusal: { until, message: 'kept', budgets: [] } }
    return { ...pod, ...refusal, terminating: pod.terminating || this.#evicted.has(pod.uid) }
  }
}

function podView({ uid, kind, terminating }: SimPod): PodView {
  const owner = kind === 'bare' ? {} : { controller: kind }
  return { namespace: 'shop', name: uid, uid, ...owner, mirror: false, emptyDir: false, finished: false, terminating }
}
