import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AgentStatus, ASSIGNMENT_REPLAYED } from '../../../src/protocol/agent-status.ts'
import { decide } from '../../../src/rollout/decide.ts'
import type { Decision } from '../../../src/rollout/model/decision.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { selected } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { aRollout } from '../builders/revisions.ts'

const options: PoolOptions = {
  head: 'new',
  stable: 'old',
  history: [aRollout('bad', { startedAt: noon - hour }), aRollout('old', { result: 'Completed', startedAt: noon - 3 * hour })],
  waves: [aWave('canary', 1, { soak: minute })],
  maxUnavailable: '100%',
}
const sound = nodes('a', 'b', 'c').map((node) => node.on('old'))

/** What a kubelet's credential can write of its own Node, whatever the controller assigned. */
interface Lie {
  readonly phase: AgentStatus['phase']
  readonly digest: string
  readonly active: string
  readonly isOfThisAssignment: boolean
  readonly ready: boolean
  readonly isReplayed: boolean
  readonly since: number
}

const digests = fc.constantFrom('old', 'bad', 'new', 'other')
const lies = fc.record<Lie>({
  phase: fc.constantFrom('Fetching', 'Staging', 'Applying', 'RolledBack', 'Failed', 'Blocked'),
  digest: digests,
  active: digests,
  isOfThisAssignment: fc.boolean(),
  ready: fc.boolean(),
  isReplayed: fc.boolean(),
  since: fc.integer({ min: -60, max: 60 }).map((minutes) => noon + minutes * minute),
})

function telling(node: NodeDraft, { phase, digest, active, isOfThisAssignment, ready, isReplayed, since }: Lie): NodeDraft {
  const assignedAt = stamp(isOfThisAssignment ? (node.assigned?.at ?? noon) : since)
  const error = { reason: ASSIGNMENT_REPLAYED, message: 'a later one was accepted before' }
  const told = node.reporting(phase, { digest, active, assignedAt, since, ...(isReplayed && { error }) })
  return ready ? told : told.notReady(since)
}

/** Passes five minutes apart. What sound nodes are assigned, they work on. @returns which of them got the target */
function exposedBy(told: readonly Lie[]): ReadonlySet<string> {
  let [hostile, others] = [
    aNode('mallory')
      .on('old')
      .assignedTo('bad', { at: noon - 5 * minute }),
    sound,
  ]
  const exposed = new Set<string>()
  let memory: Decision['status'] | undefined
  for (const [index, lie] of told.entries()) {
    const now = noon + index * 5 * minute
    const members: readonly NodeView[] = [telling(hostile, lie), ...others]
    const { actions, status } = decide({ ...aPool(options).with(...members), ...(memory && { memory }) }, now)
    memory = status
    for (const action of actions) {
      if (action.kind !== 'assign') continue
      const given = (node: NodeDraft) => (node.name === action.node ? node.assignedTo(action.digest, { at: now }) : node)
      ;[hostile, others] = [given(hostile), others.map(given)]
      if (action.node !== 'mallory' && action.digest === 'new') exposed.add(action.node)
    }
  }
  return exposed
}

test('a node that hangs or reports failures as it likes exposes no more sound nodes than the wave has places', () => {
  fc.assert(
    fc.property(fc.array(lies, { minLength: 1, maxLength: 6 }), (told) => {
      expect(exposedBy(told).size).toBeLessThanOrEqual(1)
    }),
  )
})

test('a node that makes itself the canary by a failure is none when an operator holds it', () => {
  const hostile = aNode('mallory').on('old').rolledBackFrom('bad', { to: 'old' })

  expect(selected(decide(aPool(options).with(hostile, ...sound), noon))).toEqual(['mallory'])
  expect(selected(decide(aPool(options).with(hostile.held(), ...sound), noon))).toHaveLength(1)
  expect(selected(decide(aPool(options).with(hostile.held(), ...sound), noon))).not.toContain('mallory')
})
