import type { NodePods } from '../../rollout/model/node-view.ts'
import { type Following, followCollection } from '../cache/follow-collection.ts'
import { ObjectCache } from '../cache/object-cache.ts'
import { EvictionAnswers } from './eviction-answers.ts'
import { type PodFacts, projectPod } from './pod-facts.ts'

interface Watched {
  readonly pods: ObjectCache<PodFacts>
  readonly stop: AbortController
  /** Undefined until they were read once. */
  state: 'known' | { readonly why: string } | undefined
  /** As last read; forgotten as soon as anything changes that it is made of. */
  known?: NodePods | undefined
}

const NO_NODES: ReadonlySet<string> = new Set()
/** One for all: each abort would make an error with a stack otherwise, for each of thousands of nodes. */
const NOT_DRAINED = new Error('the node is not under drain any more')

/** Pods of the nodes that are being drained, and of no others: for all other nodes, nothing is asked and nothing kept. */
export class DrainWatch {
  readonly answers: EvictionAnswers
  readonly #options: Following
  readonly #nodes = new Map<string, Watched>()

  constructor(options: Following) {
    this.#options = options
    const holding = (uids: ReadonlySet<string>) => [...this.#nodes.values()].filter(({ pods }) => holdsAny(pods, uids))
    this.answers = new EvictionAnswers({
      ...options,
      changed: (uids) => this.#changed(holding(uids)),
      noted: (uids) => forgetKnown(holding(uids)),
      pods: () => this.#pods(),
    })
    // One listener for thousands of nodes: each signal that depends on another one costs more than what it stops.
    options.signal.addEventListener('abort', () => this.follow(NO_NODES))
  }

  /** From now on these nodes are looked at, and no others. */
  follow(nodes: ReadonlySet<string>): void {
    for (const [node, { stop }] of this.#nodes) {
      if (nodes.has(node)) continue
      stop.abort(NOT_DRAINED)
      this.#nodes.delete(node)
    }
    for (const node of nodes) this.begin(node)
    this.answers.forgetGone()
  }

  /** Looks at a node that was cordoned a moment ago: the next pass may know its pods already. */
  begin(node: string): void {
    if (!this.#nodes.has(node)) this.#watch(node)
  }

  /** The same object for as long as nothing changed; undefined while nothing was read. */
  podsOf(node: string): NodePods | undefined {
    const watched = this.#nodes.get(node)
    if (watched) watched.known ??= this.#tell(watched)
    return watched?.known
  }

  #watch(node: string): void {
    const stop = new AbortController()
    const watched: Watched = { pods: new ObjectCache<PodFacts>(() => this.#changed([watched])), stop, state: undefined }
    this.#nodes.set(node, watched)
    const see = (state: Watched['state']): void => {
      watched.state = state
      this.#changed([watched])
    }
    if (this.#options.signal.aborted) stop.abort(NOT_DRAINED)
    followCollection(
      { ...this.#options, signal: stop.signal },
      {
        path: '/api/v1/pods',
        cache: watched.pods,
        project: projectPod,
        fieldSelector: `spec.nodeName=${node}`,
        manyNamespaces: true,
        streamed: true,
        isAwaited: () => true,
        onListed: () => see('known'),
        onRefused: (error) => see({ why: (error as Error).message }),
      },
    ).catch(() => undefined)
  }

  #tell({ state, pods }: Watched): NodePods | undefined {
    if (state === undefined) return undefined
    if (state !== 'known') return { kind: 'unknown', why: state.why }
    return { kind: 'known', pods: [...pods.items.values()].map((pod) => this.answers.viewOf(pod)) }
  }

  #pods(): PodFacts[] {
    return [...this.#nodes.values()].flatMap(({ pods }) => [...pods.items.values()])
  }

  #changed(nodes: Iterable<Watched>): void {
    forgetKnown(nodes)
    this.#options.changed()
  }
}

function forgetKnown(nodes: Iterable<Watched>): void {
  for (const watched of nodes) watched.known = undefined
}

function holdsAny({ items }: ObjectCache<PodFacts>, uids: ReadonlySet<string>): boolean {
  for (const { view } of items.values()) if (uids.has(view.uid)) return true
  return false
}
