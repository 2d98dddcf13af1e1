import type { KubeObject } from '../kube/kube-api.ts'
import type { Disruption } from '../protocol/desired-config.ts'
import { parseDesiredConfig } from '../protocol/desired-config.ts'
import { namesFor } from '../protocol/names.ts'
import type { NodePoolStatus } from '../protocol/node-pool.ts'
import { readOnce } from '../protocol/read-once.ts'
import type { StoredChange } from '../sim/apiserver/storage/change.ts'
import type { Store } from '../sim/apiserver/storage/store.ts'
import type { Disruptions, SimulatedPool, Step } from './simulation.ts'

const names = namesFor()
export const POOLS = 'nodepools.nodewave.io'

interface Recorded {
  total: number
  readonly steps: Step[]
}

/** Writes down what the statuses of the pools say as time passes, and what nodes are given. */
export class RolloutRecorder {
  readonly #now: () => number
  readonly #store: Store
  readonly #pools = new Map<string, Recorded>()
  readonly #given = { none: 0, restart: 0, drain: 0, reboot: 0 }
  readonly #read = readOnce(parseDesiredConfig)
  #evicted = 0

  constructor(store: Store, now: () => number) {
    this.#now = now
    this.#store = store
    store.collection(POOLS).listen(({ entry }) => this.#lookAtPool(entry.object as unknown as KubeObject))
    store.collection('nodes').listen((change) => this.#lookAtNode(change))
    store.collection('pods').listen(({ type }) => {
      if (type === 'DELETED') this.#evicted += 1
    })
  }

  get disruptions(): Disruptions {
    return { ...this.#given, podsEvicted: this.#evicted }
  }

  /** @param isDone whether a pool with this status has nothing left to do */
  pools(isDone: (status: Partial<NodePoolStatus>) => boolean): SimulatedPool[] {
    return [...this.#pools].sort().map(([pool, { total, steps }]) => {
      const status = poolStatus(this.#store, pool)
      const ready = status.conditions?.find(({ type }) => type === 'Ready')
      const end = { reason: ready?.reason ?? 'Unknown', message: ready?.message ?? '' }
      return { pool, nodes: total, steps, end, isDone: isDone(status) }
    })
  }

  #lookAtPool({ metadata, status }: KubeObject): void {
    const { conditions = [], wave, nodes } = (status ?? {}) as Partial<NodePoolStatus>
    const ready = conditions.find(({ type }) => type === 'Ready')
    if (!ready) return
    const recorded = this.#pools.get(metadata.name) ?? { total: 0, steps: [] }
    this.#pools.set(metadata.name, recorded)
    recorded.total = nodes?.total ?? recorded.total
    const { reason, message } = ready
    begin(recorded.steps, { at: this.#now(), reason, nodes: 0, message, ...(wave && { wave }) })
  }

  #lookAtNode({ entry, previous }: StoredChange): void {
    const text = entry.object.metadata.annotations?.[names.desiredConfig]
    if (text === undefined || text === previous?.object.metadata.annotations?.[names.desiredConfig]) return
    const { POOL = '', GRANT = 'restart' } = this.#read(text)
    this.#given[GRANT satisfies Disruption] += 1
    const steps = this.#pools.get(POOL)?.steps
    const last = steps?.at(-1)
    if (steps && last) steps[steps.length - 1] = { ...last, nodes: last.nodes + 1 }
  }
}

/** What has lasted no time, and given nothing to a node, was no step: the controller came past it within one instant. */
function begin(steps: Step[], step: Step): void {
  const before = steps.at(-1)
  if (before && before.at === step.at && before.nodes === 0 && !isSameStep(before, step)) steps.pop()
  const last = steps.at(-1)
  if (!last || !isSameStep(last, step)) steps.push(step)
}

function isSameStep(a: Step, b: Step): boolean {
  return a.reason === b.reason && a.wave?.index === b.wave?.index
}

export function poolStatus(store: Store, pool: string): Partial<NodePoolStatus> {
  return (store.get(POOLS, pool)?.status ?? {}) as unknown as Partial<NodePoolStatus>
}
