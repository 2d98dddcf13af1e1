import { expect, test } from 'vitest'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { Random } from '../scenarios/random.ts'
import { aFleet } from './a-fleet.ts'
import { type Replica, Replicas } from './replicas.ts'
import { assignedRevision, NODES, POOLS, readyOf } from './stage.ts'

const SECOND = 1000
const ROLLOUT = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 2'
const BUDGET = 2
/** In the order in which they are pushed. */
const COMMITS = '123456789abcdef'

/** What must hold at every moment, whoever leads; what does not is noted. */
class Referee {
  readonly broken: string[] = []
  readonly #assigned = new Map<string, Map<string, string>>()
  readonly #newest = new Map<string, number>()
  readonly #atWork = new Set<string>()

  constructor(replicas: Replicas) {
    replicas.listen('nodes', (node) => this.#node(node))
    replicas.listen('nodepools.nodewave.io', (pool) => {
      const { target } = (pool.status ?? {}) as { target?: { revision: string } }
      this.#goesForward(`the target of ${pool.metadata.name}`, target?.revision)
    })
  }

  #node({ metadata }: KubeObject): void {
    const { name, annotations = {} } = metadata
    const desired = annotations['nodewave.io/desired-config']
    if (desired === undefined) return
    const revision = assignedRevision({ metadata }) ?? ''
    this.#goesForward(name, revision)
    const before = this.#assigned.get(name) ?? new Map<string, string>()
    this.#assigned.set(name, before)
    if ((before.get(revision) ?? desired) !== desired) this.broken.push(`${name} is assigned ${revision[0]} twice`)
    before.set(revision, desired)
    if (annotations['nodewave.io/current-config'] === desired) this.#atWork.delete(name)
    else this.#atWork.add(name)
    if (this.#atWork.size > BUDGET) this.broken.push(`at work are ${[...this.#atWork].join()}`)
  }

  /** All commits are good: nobody has a reason to go back. */
  #goesForward(what: string, revision = ''): void {
    const index = COMMITS.indexOf(revision[0] ?? '')
    if (index < (this.#newest.get(what) ?? -1)) this.broken.push(`${what} goes back to ${revision[0]}`)
    this.#newest.set(what, index)
  }
}

class Story {
  readonly #random: Random
  readonly replicas: Replicas
  readonly referee: Referee
  readonly #running: Replica[] = []
  #started = 0
  #pushed = 0

  constructor(random: Random, replicas: Replicas) {
    this.#random = random
    this.replicas = replicas
    this.referee = new Referee(replicas)
  }

  async begin(): Promise<void> {
    this.replicas.startAgents({ takes: 3 * SECOND })
    for (let i = 0; i < 2; i += 1) await this.#start(i)
    this.#push()
  }

  async step(): Promise<void> {
    const random = this.#random
    const at = random.below(2)
    const replica = this.#running[at]
    if (!replica) return
    const [writes, choice] = [random.below(12), random.below(10)]
    if (choice < 3) this.#push()
    else if (choice < 5) replica.pause.beginAfterWrites(writes)
    else if (choice < 6) replica.pause.begin()
    else if (choice < 8) replica.pause.end()
    else await this.#replace(at, { kill: choice === 9 })
    await this.replicas.clock.advance(random.pick([0, 1, 2, 5, 9, 16, 30]) * SECOND + random.below(SECOND))
  }

  async end(): Promise<void> {
    for (const { pause } of this.#running) pause.end()
    this.#push()
    // Commits are compressed on threads, in time that is not virtual: a controller may seem slow.
    for (let round = 0; round < 100 && !(await this.isDone()); round += 1) await this.replicas.clock.advance(10 * SECOND)
  }

  async isDone(): Promise<boolean> {
    const [nodes, pools] = [await this.replicas.list(NODES), await this.replicas.list(POOLS)]
    const [pool] = pools
    return nodes.every((node) => assignedRevision(node) === this.newest) && readyOf(pool) === 'True Completed'
  }

  get newest(): string {
    return (COMMITS[this.#pushed - 1] ?? '').repeat(40)
  }

  /** Killed: it never goes on. Otherwise it ends in order, as soon as it can. */
  async #replace(at: number, { kill }: { readonly kill: boolean }): Promise<void> {
    const replica = this.#running[at]
    if (kill) replica?.pause.begin()
    else {
      replica?.pause.end()
      await replica?.stop()
    }
    await this.#start(at)
  }

  async #start(at: number): Promise<void> {
    this.#started += 1
    // The election bears any; deadlines of nodes are stamped by one controller, and judged by the next.
    const skew = (this.#random.below(240) - 120) * SECOND
    this.#running[at] = await this.replicas.start(`replica-${this.#started}`, { skew })
  }

  #push(): void {
    const digit = COMMITS[this.#pushed]
    if (digit === undefined) return
    this.#pushed += 1
    this.replicas.push(digit, aFleet({ rollout: ROLLOUT, v: this.#pushed }))
  }
}

const SEEDS =
  process.env.SEED === undefined
    ? Array.from({ length: Number(process.env.SEEDS ?? 25) }, (_, seed) => seed)
    : [Number(process.env.SEED)]

test.each(SEEDS)(
  'two controllers that are killed and paused at random bring the fleet to the newest commit, and never back: seed %i',
  async (seed) => {
    await using replicas = await Replicas.create({ nodes: 6 })
    const story = new Story(new Random(seed), replicas)
    await story.begin()
    for (let i = 0; i < 20; i += 1) await story.step()
    await story.end()
    expect(story.referee.broken).toEqual([])
    expect(await story.isDone()).toBe(true)
  },
)
