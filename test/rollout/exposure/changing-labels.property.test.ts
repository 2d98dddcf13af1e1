import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import type { Memory } from '../../../src/rollout/model/snapshot.ts'
import { minute, noon } from '../builders/instants.ts'
import { aNode, type NodeDraft } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'

const HAPPENINGS = [
  ...(['applies', 'is put back', 'cannot be restored', 'goes down', 'comes back'] as const),
  ...(['is relabelled', 'is held', 'is released'] as const),
]

/** One thing after another that happens to a node; a pass follows each. */
interface Step {
  readonly node: number
  readonly what: (typeof HAPPENINGS)[number]
  readonly minutes: number
}

const OPTIONS: PoolOptions = {
  head: 'new',
  stable: 'older',
  waves: [aWave('canary', 1, { soak: 10 * minute }), aWave('rest', '100%')],
  maxUnavailable: '100%',
}
const NAMES = ['a', 'b', 'c', 'd']
const steps = fc.array(
  fc.record<Step>({
    node: fc.nat(NAMES.length - 1),
    what: fc.constantFrom(...HAPPENINGS),
    minutes: fc.constantFrom(0, 1, 2, 6, 16),
  }),
  { maxLength: 24 },
)

/** What a commit wants of a node follows from its labels; for some it cannot be rendered. */
const wantedFor = (labels: number) =>
  labels % 3 === 2 ? { problem: 'no such label' } : { digest: labels === 0 ? 'new' : `new, by labels ${labels}` }

function happens(node: NodeDraft, what: Step['what'], now: number): NodeDraft {
  const isAtWork = node.ready && node.assigned !== undefined
  if (what === 'applies') return isAtWork ? node.reporting('Applied', { since: now }) : node
  if (what === 'is put back')
    return isAtWork && node.assigned?.revision === 'new' ? node.reporting('RolledBack', { active: 'older' }) : node
  if (what === 'cannot be restored') return isAtWork && node.assigned?.revision === 'new' ? node.reporting('Failed') : node
  if (what === 'goes down') return node.ready ? node.notReady(now) : node
  if (what === 'comes back') return node.ready ? node : node.readyAgain(now)
  if (what === 'is held') return node.held()
  return what === 'is released' ? node.released() : node
}

/** @returns nodes that were Ready when they got the commit before its canary wave was over */
function exposedBy(told: readonly Step[]): ReadonlySet<string> {
  const nodes = NAMES.map((name) => aNode(name).on('older'))
  const labels = NAMES.map(() => 0)
  const exposed = new Set<string>()
  let [memory, now]: [Memory | undefined, number] = [undefined, noon]
  for (const { node: index, what, minutes } of [{ node: 0, what: 'is relabelled', minutes: 0 } as Step, ...told]) {
    now += minutes * minute
    if (what === 'is relabelled') labels[index] = (labels[index] ?? 0) + 1
    nodes[index] = happens(nodes[index] as NodeDraft, what, now)
    const wants = Object.fromEntries(NAMES.map((name, at) => [name, wantedFor(labels[at] ?? 0)]))
    const pool = aPool({ ...OPTIONS, wants }).with(...nodes)
    const { actions, status } = decide({ ...pool, ...(memory && { memory }) }, now)
    memory = status
    if (status.history[0]?.result !== 'Running' || status.wave?.name === 'rest') return exposed
    for (const action of actions) {
      const at = action.kind === 'assign' ? NAMES.indexOf(action.node) : -1
      const before = nodes[at]
      if (action.kind !== 'assign' || !before) continue
      if (action.revision === 'new' && before.ready && before.status?.phase !== 'Failed') exposed.add(action.node)
      nodes[at] = before.assignedBy(action)
    }
  }
  return exposed
}

test('a canary wave of one exposes one sound node, however labels change and nodes fail', () => {
  fc.assert(
    fc.property(steps, (told) => {
      expect(exposedBy(told).size).toBeLessThanOrEqual(1)
    }),
    { numRuns: 2000 },
  )
})
