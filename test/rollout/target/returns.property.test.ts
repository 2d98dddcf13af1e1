import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { decide } from '../../../src/rollout/decide.ts'
import { reportOf } from '../../../src/rollout/model/agent-report.ts'
import type { Revision } from '../../../src/rollout/model/snapshot.ts'
import { hour, minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRevision } from '../builders/revisions.ts'

const NAMES = ['a', 'b', 'c', 'd']
/** `bad` fails on every node that gets it. */
const COMMITS = ['first', 'second', 'bad'] as const
const CONTROLS = ['rollback', 'resume', 'retry'] as const
const TO_NODES = ['goes down', 'comes back', 'is replaced'] as const

type What = `commit ${string}` | (typeof CONTROLS)[number] | (typeof TO_NODES)[number]

/** One thing after another; agents work, and passes follow. */
interface Step {
  readonly what: What
  readonly node: number
  readonly passes: number
}

const what = fc.constantFrom<What>(...COMMITS.map((commit) => `commit ${commit}` as const), ...CONTROLS, ...TO_NODES)
const steps = fc.array(fc.record<Step>({ what, node: fc.nat(NAMES.length - 1), passes: fc.constantFrom(0, 1, 2, 9) }), {
  maxLength: 24,
})
const policy = fc.record({
  onFailure: fc.constantFrom('Rollback' as const, 'Halt' as const),
  maxUnavailable: fc.constantFrom(1, 2, '100%' as const),
})

/** A pool that has completed `first`, its Git and its operators. */
class Fleet {
  readonly #options: PoolOptions
  #now = noon
  #commits = ['first']
  #controls: PoolOptions['controls'] = {}
  #nodes: NodeDraft[] = NAMES.map((name) => aNode(name).on('first', { at: noon - 2 * hour, since: noon - hour }))
  #status: NodePoolStatus | undefined
  /** Given to nodes, though the pool had left it, outside a rollout that begins with a canary. */
  readonly givenAtOnce: string[] = []

  constructor(options: PoolOptions) {
    this.#options = { ...options, head: 'first', stable: 'first', waves: [aWave('canary', 1)], applyTimeout: 10 * minute }
    this.#pass()
  }

  get ready(): string | undefined {
    return this.#status?.conditions.find(({ type }) => type === 'Ready')?.reason
  }

  happens({ what, node, passes }: Step): void {
    if (what.startsWith('commit ')) this.#commits.push(what.slice('commit '.length))
    if (what === 'rollback') this.#controls = { rollback: '' }
    if (what === 'resume') this.#controls = {}
    if (what === 'retry') this.#controls = { ...this.#controls, retry: this.#head.revision }
    this.#nodes = this.#nodes.map((each, index) => (index === node ? this.#changed(each, what) : each))
    this.#pass()
    this.passes(passes)
  }

  passes(count: number): void {
    for (let pass = 0; pass < count; pass++) {
      this.#now += minute
      this.#nodes = this.#nodes.map((node) => this.#worked(node))
      this.#pass()
    }
  }

  get #head(): Revision {
    const last = this.#commits.length - 1
    return { ...aRevision(this.#commits[last] ?? '', this.#nodes), revision: `commit-${last}` }
  }

  #changed(node: NodeDraft, what: What): NodeDraft {
    if (what === 'goes down') return node.ready ? node.notReady(this.#now) : node
    if (what === 'comes back') return node.ready ? node : node.readyAgain(this.#now)
    return what === 'is replaced' ? aNode(node.name).withUid(`${this.#now}`).createdAtInstant(this.#now) : node
  }

  #worked(node: NodeDraft): NodeDraft {
    if (!node.ready || !node.assigned || reportOf(node) !== undefined) return node
    const since = this.#now
    return node.assigned.digest === 'bad' ? node.reporting('RolledBack', { since }) : node.reporting('Applied', { since })
  }

  #pass(): void {
    const head = this.#head
    const known = this.#commits.map((content, at) => ({ ...aRevision(content, this.#nodes), revision: `commit-${at}` }))
    const pool = aPool({ ...this.#options, head: this.#commits.at(-1) ?? '', commit: head.revision }).with(...this.#nodes)
    const memory = this.#status ?? pool.memory
    const snapshot = {
      ...pool,
      memory,
      known: new Map(known.map((each) => [each.revision, each])),
      controls: this.#controls ?? {},
    }
    const { actions, status } = decide(snapshot, this.#now)
    this.#status = status
    for (const action of actions) {
      if (action.kind !== 'assign') continue
      if (hasLeft(status, action.digest) && !isTried(status, action.digest)) this.givenAtOnce.push(action.digest)
      this.#nodes = this.#nodes.map((node) => (node.name === action.node ? node.assignedBy(action) : node))
    }
  }
}

/** It completed, and the pool went back from it since. */
function hasLeft({ history }: NodePoolStatus, content: string): boolean {
  return history.find(({ result, fingerprint }) => result === 'Completed' && fingerprint === `of ${content}`)?.abandoned === true
}

function isTried({ target, wave }: NodePoolStatus, content: string): boolean {
  return target?.fingerprint === `of ${content}` && wave?.count === 2
}

test('what a pool goes back from is given to nobody but the waves that try it again, and a fix always completes', () => {
  fc.assert(
    fc.property(policy, steps, (options, told) => {
      const fleet = new Fleet(options)
      for (const step of told) fleet.happens(step)
      expect(fleet.givenAtOnce).toEqual([])
      for (const node of NAMES.keys()) fleet.happens({ what: 'comes back', node, passes: 0 })
      fleet.happens({ what: 'resume', node: 0, passes: 0 })
      fleet.happens({ what: 'commit fix', node: 0, passes: 60 })
      expect(fleet.ready).toBe('Completed')
    }),
    { numRuns: 300 },
  )
})
