import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CordonMark } from '../../../src/protocol/cordon-mark.ts'
import type { ControlPlaneView } from '../../../src/rollout/control-plane/control-plane-view.ts'
import { decideFleet } from '../../../src/rollout/decide-fleet.ts'
import type { Action } from '../../../src/rollout/model/decision.ts'
import type { NodePods } from '../../../src/rollout/model/node-view.ts'
import { NO_MEMORY, type PoolSnapshot, type Revision } from '../../../src/rollout/model/snapshot.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, NodeDraft } from '../builders/nodes.ts'
import { aPool } from '../builders/pools.ts'
import { instance, ROLE } from './a-control-plane.ts'

/** A machine of the control plane, as it is; what can be seen of it may be less. */
interface Machine {
  /** Of its API server. */
  minor: number
  /** Its manifest is in its place. */
  seen: boolean
  apiServerReady: boolean
  etcdReady: boolean
  /** Its pods are gone, once it was cordoned. */
  drained: boolean
  node: NodeDraft
}

type Event =
  | { readonly kind: 'upgrade' | 'downgrade' | 'manifest' | 'apiServer' | 'etcd' | 'ready' | 'agent'; readonly machine: number }
  | { readonly kind: 'push'; readonly minor: number }
  | { readonly kind: 'pass' }

const machine = fc.nat({ max: 4 })
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('agent' as const), machine }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('upgrade', 'downgrade', 'manifest', 'apiServer', 'etcd', 'ready'), machine }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('push' as const), minor: fc.integer({ min: 33, max: 38 }) }) },
)

/** Nodes in two pools, one of which may have the whole control plane and more. */
class Story {
  readonly machines: Machine[]
  workers = [aNode('w0'), aNode('w1')]
  memory = [NO_MEMORY, NO_MEMORY]
  pushed = [36]
  now = noon

  constructor(size: number) {
    this.machines = Array.from({ length: size }, (_, i) => ({
      ...{ minor: 36, seen: true, apiServerReady: true, etcdReady: true, drained: false },
      node: aNode(`m${i}`).labelled(ROLE),
    }))
  }

  view(): ControlPlaneView {
    const seen = this.machines.filter((each) => each.seen)
    return {
      nodes: this.machines.map(({ node }) => node),
      instances: seen.flatMap(({ node: { name }, minor, apiServerReady, etcdReady }) => [
        instance('kube-apiserver', name, { version: `v1.${minor}.3`, ready: apiServerReady }),
        instance('etcd', name, { ready: etcdReady }),
      ]),
      answers: seen.slice(0, 1).map(({ minor }) => `v1.${minor}.3`),
    }
  }

  pools(): PoolSnapshot[] {
    const all = this.machines.map(({ node }) => node)
    return [[...all.slice(0, 2), ...this.workers], all.slice(2)].map((members, index) => {
      const pool = aPool({ maxUnavailable: '100%' }).with(...members)
      const revisions = this.pushed.map((minor): Revision => {
        // Every other minor is of a kind that wants a drain.
        const disruption = minor % 2 === 0 ? 'restart' : 'drain'
        const config = { kind: 'config', digest: `1.${minor}`, version: `1.${minor}.0`, disruption } as const
        const wanted = members.map(({ name }) => [name, config] as const)
        return { revision: `1.${minor}`, fingerprint: `1.${minor}`, wanted: new Map(wanted) }
      })
      const head = revisions.at(-1) ?? pool.head
      const known = new Map(revisions.map((revision) => [revision.revision, revision]))
      const policy = { ...pool.policy, allowDowngrade: true }
      const pods = new Map(members.map(({ name }) => [name, this.podsOn(name)]))
      return { ...pool, name: `pool-${index}`, policy, head, known, pods, memory: this.memory[index] ?? NO_MEMORY }
    })
  }

  podsOn(name: string): NodePods {
    const drained = this.machines.find(({ node }) => node.name === name)?.drained ?? true
    return drained ? { kind: 'known', pods: [] } : { kind: 'unknown', why: 'they have not been read' }
  }

  happen(event: Event): void {
    this.now += minute / 2
    if (event.kind === 'push') this.pushed.push(event.minor)
    else if (event.kind === 'pass') this.pass()
    else {
      const machine = this.machines[event.machine % this.machines.length]
      if (machine) CHANGES[event.kind](machine, this.now)
      if (event.kind === 'agent') this.workers = this.workers.map((node) => finished(node, this.now))
    }
  }

  /** Where no API server runs, nobody passes. */
  pass(): void {
    if (!this.machines.some(({ seen }) => seen)) return
    const pools = this.pools()
    const decisions = decideFleet({ pools, policy: {}, controls: {}, controlPlane: this.view() }, this.now)
    this.memory = pools.map(({ name }) => decisions.get(name)?.status ?? NO_MEMORY)
    for (const { actions } of decisions.values()) for (const action of actions) this.execute(action)
  }

  execute(action: Action): void {
    if (action.kind === 'assign') {
      checkSkew(Number(action.digest.slice(2)), this.machines)
      const mends = action.grant === 'restart'
      this.change(action.node, (node) => node.assignedTo(action.digest, { at: this.now }), { mends })
    } else if (action.kind === 'cordon') this.cordon(action)
    else if (action.kind === 'uncordon') this.change(action.node, (node) => released(node, action.mark), { frees: true })
  }

  /** One that is under drain may be marked for another change; that takes nothing more from anybody. */
  cordon({ node: name, mark }: Extract<Action, { kind: 'cordon' }>): void {
    const isCordoned = this.machines.some(({ node }) => node.name === name && node.unschedulable)
    this.change(name, (node) => node.drainedFor(mark.digest, mark), { frees: isCordoned })
  }

  change(name: string, change: (node: NodeDraft) => NodeDraft, { frees = false, mends = false } = {}): void {
    this.workers = this.workers.map((node) => (node.name === name ? change(node) : node))
    const machine = this.machines.find(({ node }) => node.name === name)
    if (!machine) return
    if (!frees) checkTurn(machine, this.machines, { mends })
    machine.drained = false
    machine.node = change(machine.node)
  }
}

const CHANGES: Readonly<Record<Exclude<Event['kind'], 'push' | 'pass'>, (machine: Machine, now: number) => void>> = {
  upgrade: (machine) => (machine.minor += 1),
  downgrade: (machine) => (machine.minor -= 1),
  manifest: (machine) => (machine.seen = !machine.seen),
  apiServer: (machine) => (machine.apiServerReady = !machine.apiServerReady),
  etcd: (machine) => (machine.etcdReady = !machine.etcdReady),
  ready: (machine, now) => (machine.node = machine.node.ready ? machine.node.notReady(now) : machine.node.readyAgain(now)),
  agent(machine, now) {
    machine.drained = true
    machine.node = finished(machine.node, now)
  },
}

function released({ mark, ...node }: NodeDraft, left: CordonMark | undefined): NodeDraft {
  return new NodeDraft({ ...node, unschedulable: false, ...(left && { mark: left }) })
}

function finished(node: NodeDraft, now: number): NodeDraft {
  if (!node.assigned) return node
  return node.reporting('Applied', { since: now }).running(`${node.assigned.digest}.0`)
}

/** By what the API servers really are, seen or not. */
function checkSkew(kubelet: number, machines: readonly Machine[]): void {
  const minors = machines.map(({ minor }) => minor)
  expect(kubelet).toBeLessThanOrEqual(Math.min(...minors))
  expect(kubelet).toBeGreaterThanOrEqual(Math.max(...minors) - 3)
}

function checkTurn(selected: Machine, machines: readonly Machine[], { mends }: { readonly mends: boolean }): void {
  const others = machines.filter((other) => other !== selected)
  expect(others.filter(({ node }) => isAtWork(node))).toEqual([])
  // A drain waits for a node that is down, so that does not wait for the drain.
  if (selected.node.ready) expect(others.filter(({ node }) => node.unschedulable)).toEqual([])
  if (mends && isLeftDown(selected)) return
  expect(others.filter(({ seen, apiServerReady, etcdReady }) => !seen || !apiServerReady || !etcdReady)).toEqual([])
  expect(others.length).not.toBe(1)
}

/** By a rollout, and nothing of the control plane is well there. */
function isLeftDown({ node, seen, apiServerReady, etcdReady }: Machine): boolean {
  return !node.ready && isAtWork(node) && (!seen || (!apiServerReady && !etcdReady))
}

function isAtWork({ assigned, status }: NodeDraft): boolean {
  return assigned !== undefined && status?.assignedAt !== new Date(assigned.at ?? 0).toISOString()
}

test('whatever happens to the control plane, no kubelet breaks the skew, and its nodes are changed one at a time while the others are well', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(event, { maxLength: 60 }), (size, events) => {
      const story = new Story(size)
      for (const each of events) story.happen(each)
    }),
    { numRuns: 800 },
  )
})

test('a control-plane node under drain is marked for a newer commit while another one is not well', () => {
  const story = new Story(3)
  for (const minor of [33, 35]) {
    story.happen({ kind: 'push', minor })
    story.happen({ kind: 'pass' })
    story.happen({ kind: 'apiServer', machine: 1 })
  }

  expect(story.machines.map(({ node }) => node.mark?.digest)).toEqual(['1.35', undefined, undefined])
})

test('a whole control plane comes to a new minor once its API servers are there', () => {
  const story = new Story(3)
  for (const each of story.machines) each.minor = 37
  story.happen({ kind: 'push', minor: 37 })
  for (let turn = 0; turn < 12; turn++)
    for (const index of [0, 1, 2]) {
      story.happen({ kind: 'pass' })
      story.happen({ kind: 'agent', machine: index })
    }

  expect(story.machines.map(({ node }) => node.kubeletVersion)).toEqual(['1.37.0', '1.37.0', '1.37.0'])
})
