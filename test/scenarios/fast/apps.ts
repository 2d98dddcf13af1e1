import type { GateResult } from '../../../src/controller/gates/gate-check.ts'
import { judgeLacks, type Lack, lackOf, WORKLOAD_KINDS } from '../../../src/controller/gates/workload-lacks.ts'
import type { AskGate, Decision } from '../../../src/rollout/model/decision.ts'
import type { Memory } from '../../../src/rollout/model/snapshot.ts'
import { blameless } from './blameless.ts'
import { contentOf, fingerprintOf } from './content.ts'
import type { Observed } from './controller.ts'
import { OutageRecords } from './outage-records.ts'
import type { SimNode } from './sim-node.ts'

export type AppKind = (typeof WORKLOAD_KINDS)[number]['kind']

/** What a content does to a workload of its pool. */
export interface Breaks {
  readonly kind: AppKind
  /** On other machines it breaks nothing. */
  readonly nodes: ReadonlySet<string>
  /** What is broken stays so when the node runs something else, until somebody repairs it. */
  readonly lasts: boolean
}

/** A pod that a content took down. */
export interface Damage {
  readonly app: string
  readonly node: string
  readonly content: string
  /** So many rollouts of the pool had completed. */
  readonly epoch: number
  /** The pool has lost its history since. */
  readonly isForgotten?: true
}

/** More than ever are down. */
const REPLICAS = 100
const CREATED = '2026-01-01T00:00:00Z'
/** What fails there, no content of ours has broken. */
export const MAIL = 'mail'

/**
 * Workloads: of each pool one of each kind in a namespace of its name, and in another one that contents never break. The real check of
 * gates judges them.
 */
export class Apps {
  /** By content. */
  readonly breaks = new Map<string, Breaks>()
  /** Pods that are missing for other reasons, by workload. */
  readonly outages = new Map<string, number>()
  /** By machine and content. */
  readonly damages = new Map<string, Damage>()
  /** Gates that passed while a content had broken more than was so before. */
  readonly wronglyPassed: string[] = []
  /** Tools restore what nodes were assigned. */
  isMeddled = false
  readonly #records = new OutageRecords()
  /** Contents of pools that have lost their history since. */
  readonly #forgotten = new Set<string>()
  readonly #nodes: ReadonlyMap<string, SimNode>
  readonly #pools: readonly string[]

  constructor(nodes: ReadonlyMap<string, SimNode>, pools: readonly string[]) {
    this.#nodes = nodes
    this.#pools = pools
  }

  /** What it runs may take down pods, or bring them back. */
  see({ name, active, pool }: SimNode): void {
    const content = contentOf(active)
    const breaks = this.breaks.get(content)
    const key = `${name} ${content}`
    const isBroken = breaks?.nodes.has(name) && poolOf(content) === pool[0]
    for (const [other, damage] of this.damages) if (damage.node === name && (other !== key || !isBroken)) this.#end(other, damage)
    if (breaks && isBroken && !this.damages.has(key))
      this.damages.set(key, { ...this.#sinceOf(pool, content), app: appOf(pool, breaks.kind), node: name, content })
  }

  #sinceOf(pool: string, content: string): Pick<Damage, 'epoch' | 'isForgotten'> {
    return { epoch: this.#records.epochOf(pool), ...(this.#forgotten.has(content) && { isForgotten: true }) }
  }

  /** Somebody repairs what lasts. */
  repair(): void {
    this.outages.clear()
    for (const [content, breaks] of this.breaks) this.breaks.set(content, { ...breaks, lasts: false })
    for (const key of this.damages.keys()) if (key.startsWith(LASTS)) this.damages.delete(key)
  }

  /** Of a pool of which the history is lost, nothing shows that what its nodes have is unfinished, unless that is tried still. */
  forget(pool: string): void {
    this.#seeAll()
    for (const content of this.breaks.keys()) if (poolOf(content) === pool[0]) this.#forgotten.add(content)
    for (const [key, damage] of this.damages)
      if (placeOf(damage.app) === pool) this.damages.set(key, { ...damage, isForgotten: true })
  }

  answer(pool: string, ask: AskGate, observed: Observed): GateResult {
    this.#seeAll()
    const { check } = ask.gate
    const places = check.kind === 'workloads' ? check.namespaces : undefined
    const lacks = this.#lacks().filter(({ name }) => !places || places.includes(placeOf(name)))
    const result = judgeLacks(lacks, ask)
    const known = observed.fleet.pools.find(({ name }) => name === pool)
    const { outages, isMeddled } = this
    const broken = { damages: [...this.damages.values()], outages, epoch: this.#records.epochOf(pool), isMeddled }
    const innocent = blameless(broken, { pool: known, observed })
    if (ask.question === 'before' && result.verdict === 'Passed')
      this.#records.note(pool, this.#withLetPass(innocent, pool, observed))
    if (ask.question === 'after' && result.verdict === 'Passed') this.#expectBlameless(pool, ask, observed)
    return result
  }

  /** A status was written. */
  wrote(pool: string, before: Memory, { history: [run], target }: Decision['status']): void {
    this.#seeAll()
    if (target) this.#records.tried(pool, target.fingerprint)
    const [last] = before.history
    const isNew = run?.startedAt !== last?.startedAt || last?.result !== 'Completed'
    if (run?.result === 'Completed' && isNew) this.#records.completed(pool)
  }

  /**
   * A retry is compared with what was so before its first try, also where that has been repaired since: what a gate lets it break in one wave is
   * so before the next one.
   */
  #withLetPass(innocent: ReadonlyMap<string, number>, pool: string, observed: Observed): ReadonlyMap<string, number> {
    const fingerprint = targetOf(pool, observed)
    const letPass = this.#lacks()
      .filter(({ name }) => placeOf(name) === pool)
      .map(({ name, missing }) => [name, Math.min(missing, this.#records.mostBefore({ pool, fingerprint, app: name }))] as const)
    return new Map([...innocent, ...letPass.filter(([name, count]) => count > (innocent.get(name) ?? 0))])
  }

  #expectBlameless(pool: string, ask: AskGate, observed: Observed): void {
    const fingerprint = targetOf(pool, observed)
    const worse = this.#lacks().filter(
      ({ name, missing }) =>
        placeOf(name) === pool &&
        missing > this.#records.mostBefore({ pool, fingerprint, app: name }) &&
        [...this.damages.values()].some(({ app, content }) => app === name && fingerprintOf(content) === fingerprint),
    )
    if (worse.length > 0) this.wronglyPassed.push(`${pool} ${ask.gate.name} after ${ask.wave}: ${JSON.stringify(worse)}`)
  }

  #end(key: string, damage: Damage): void {
    if (key.startsWith(LASTS)) return
    this.damages.delete(key)
    if (this.breaks.get(damage.content)?.lasts) this.damages.set(`${LASTS}${key}`, damage)
  }

  #seeAll(): void {
    for (const node of this.#nodes.values()) this.see(node)
    for (const [key, damage] of this.damages) if (!this.#nodes.has(damage.node)) this.#end(key, damage)
  }

  #lacks(): Lack[] {
    const places = this.#pools.flatMap((pool) => WORKLOAD_KINDS.map((kind) => ({ kind, app: appOf(pool, kind.kind) })))
    const all = [...places, { kind: WORKLOAD_KINDS[0], app: appOf(MAIL, 'Deployment') }]
    return all.map(({ kind, app }) => lackOf(workload(app, this.#missing(app)), kind))
  }

  #missing(app: string): number {
    const broken = [...this.damages.values()].filter((damage) => damage.app === app)
    return new Set(broken.map(({ node }) => node)).size + (this.outages.get(app) ?? 0)
  }
}

const LASTS = 'lasts: '

function targetOf(pool: string, { fleet }: Observed): string {
  return fleet.pools.find(({ name }) => name === pool)?.memory.target?.fingerprint ?? ''
}

/** As it stands in the record of a gate. */
export function appOf(namespace: string, kind: AppKind): string {
  return `${kind} ${namespace}/app`
}

function placeOf(app: string): string {
  return /^\w+ (.+)\/app$/.exec(app)?.[1] ?? ''
}

/** Contents are named for their pool. */
function poolOf(content: string): string | undefined {
  return content[0]
}

function workload(app: string, missing: number): Parameters<typeof lackOf>[0] {
  const conditions = [{ type: 'Available', status: missing > 0 ? 'False' : 'True' }]
  return {
    metadata: { name: 'app', namespace: placeOf(app), creationTimestamp: CREATED },
    spec: { replicas: REPLICAS },
    status: { availableReplicas: REPLICAS - missing, numberUnavailable: missing, conditions },
  }
}
