import { expect, test } from 'vitest'
import { decide } from '../../../src/rollout/decide.ts'
import { checkHash } from '../../../src/rollout/gates/gate-records.ts'
import { assignments, remembering } from '../builders/decisions.ts'
import { hour, minute, noon, stamp } from '../builders/instants.ts'
import { aNode, type NodeDraft, nodes } from '../builders/nodes.ts'
import { aWave } from '../builders/policies.ts'
import { aPool, type PoolOptions } from '../builders/pools.ts'
import { apps, asked, since } from './some-gates.ts'

const paused: PoolOptions = { controls: { paused: 'a test' } }
const closed: PoolOptions = { windows: [{ action: 'allow', schedule: '0 1 * * *', duration: hour, timeZone: 'UTC' }] }

/** What is so before the second wave was recorded; then something keeps its nodes, `c` and `d`. The first one had `a`, and this one. */
function beforeSecondWave(straggler: NodeDraft, options: PoolOptions) {
  const rest = { waves: [aWave('canary', { tier: 'test' }), aWave('rest', '100%')], wave: { index: 2, count: 2, name: 'rest' } }
  const drains = { disruption: 'drain', pods: { b: [] }, maxFailures: 1 } as const
  const pool = aPool({ stable: 'older', since, ...rest, ...drains, gates: [apps], ...options }).with(
    aNode('a').on('new', { at: since }).labelled({ tier: 'test' }),
    straggler.labelled({ tier: 'test' }),
    ...nodes('c', 'd').map((node) => node.on('older')),
  )
  const about = { name: 'apps', revision: 'new', rollout: stamp(since), check: checkHash(apps.check), since: stamp(since) }
  const gates = [
    { ...about, wave: 'canary', state: 'Passed', askedAt: stamp(since + minute) },
    { ...about, wave: 'rest', state: 'Recorded', before: ['Deployment shop/web 1'], recordedAt: stamp(since + 2 * minute) },
  ] as const
  return { ...pool, memory: { ...pool.memory, gates } }
}

test.each([
  ['during a pause', paused],
  ['while no window is open', closed],
])(
  'a node of an earlier wave gets the target for which it was drained, and the record for the open wave is kept, %s',
  (_, kept) => {
    const pool = beforeSecondWave(aNode('b').on('older').drainedFor('new'), kept)
    const decision = decide(pool, noon)
    const later = decide({ ...remembering(pool, decision), controls: {}, policy: { ...pool.policy, windows: [] } }, noon + hour)

    expect(assignments(decision)).toEqual(['b → new'])
    expect(decision.status.gates?.[1]).toMatchObject({ before: ['Deployment shop/web 1'], begun: true })
    expect(asked(later)).toEqual([])
  },
)

test('a workloads gate records again after a pause before a later wave also when a node of an earlier one has failed, and is cordoned', () => {
  const failed = aNode('b')
    .assignedTo('new', { at: since })
    .reporting('Failed')
    .notReady(since + minute)
    .seemingSound()
    .drainedFor('new', { at: since - minute })

  expect(decide(beforeSecondWave(failed, paused), noon).status.gates).toMatchObject([{ wave: 'canary' }])
})
