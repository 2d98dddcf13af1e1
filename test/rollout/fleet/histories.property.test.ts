import fc from 'fast-check'
import { expect, test } from 'vitest'
import { minute } from '../builders/instants.ts'
import { aGate, aWave, type PolicyOptions } from '../builders/policies.ts'
import { CONTENTS, type Content } from './histories/contents.ts'
import { SimulatedFleet } from './histories/simulated-fleet.ts'
import { type Fate, type FleetOptions, type Step, TO_FLEET, TO_NODES, TO_POOLS } from './histories/steps.ts'

const what = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('push', 'push', 'push to one') },
  { weight: 3, arbitrary: fc.constantFrom(...TO_POOLS, 'retry') },
  { weight: 4, arbitrary: fc.constantFrom(...TO_NODES) },
  { weight: 1, arbitrary: fc.constantFrom(...TO_FLEET) },
)
const contents = (Object.keys(CONTENTS) as Content[]).filter((each) => each !== 'fix')
const step = fc.record<Step>({
  what,
  content: fc.constantFrom('first', 'first', 'second', 'second', 'bad on one', ...contents),
  pool: fc.nat(2),
  node: fc.nat(9),
  passes: fc.constantFrom(0, 1, 2, 3, 9, 15),
  fate: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Fate>('sound') },
    { weight: 1, arbitrary: fc.constantFrom<Fate>('answers lost', 'late', 'refused') },
  ),
})
const policy = fc.record({
  onFailure: fc.constantFrom('Rollback' as const, 'Halt' as const),
  maxUnavailable: fc.constantFrom(1, 2, '100%' as const, '50%' as const),
  maxFailures: fc.constantFrom(0, 0, 1),
  waves: fc.constantFrom(
    [aWave('canary', 1)],
    [aWave('canary', 1, { soak: 2 * minute }), aWave('early', 1)],
    [aWave('canary', 1), aWave('manual', 1, { manual: true })],
    [aWave('some', '50%')],
    [aWave('test', { tier: 'test' }), aWave('one', 1, { maxFailures: { count: 0 } })],
    [],
  ),
  gates: fc.constantFrom(undefined, [aGate('gate')]),
  proof: fc.constantFrom(undefined, {}),
  drain: fc.constantFrom(
    { onTimeout: 'Wait' as const },
    { onTimeout: 'Skip' as const },
    { onTimeout: 'Proceed' as const, timeout: 6 * minute },
    { mode: 'Always' as const, onTimeout: 'Skip' as const, timeout: 3 * minute },
  ),
  cordoned: fc.constantFrom('Skip' as const, 'Change' as const),
  agentTimeout: fc.constantFrom(undefined, 5 * minute),
  reboot: fc.constantFrom(undefined, { whenRequired: 'Never' as const, timeout: 8 * minute }),
  zones: fc.constantFrom('Any' as const, 'OneAtATime' as const),
  windows: fc.constantFrom(
    [],
    [],
    [{ action: 'allow' as const, timeZone: 'UTC', schedule: '0,30 * * * *', duration: 12 * minute }],
  ),
})
const options: fc.Arbitrary<FleetOptions> = fc
  .record({
    policies: fc.array(fc.record({ nodes: fc.integer({ min: 2, max: 4 }), policy }), { minLength: 2, maxLength: 3 }),
    dependent: fc.constantFrom(-1, 1, 2, 3),
    maxUnavailable: fc.constantFrom(undefined, 1, 2),
    maxFailures: fc.constantFrom(undefined, undefined, 0, 1, 2),
    isControlPlane: fc.constantFrom(false, false, false, true),
    isByLabel: fc.constantFrom(false, true),
  })
  .map(({ policies, dependent, maxUnavailable, maxFailures, isControlPlane, isByLabel }) => ({
    pools: policies.map(({ nodes, policy: { gates, proof, agentTimeout, reboot, ...rest } }, index) => ({
      nodes,
      policy: {
        ...rest,
        ...(gates && { gates }),
        ...(proof && { proof }),
        ...(reboot && { reboot }),
        ...(agentTimeout !== undefined && { agentTimeout }),
        ...(index === dependent && index > 0 && { dependsOn: ['a'] }),
        ...(dependent === 3 && index > 0 && { dependsOn: [index === 1 ? 'a' : 'b'] }),
      } satisfies PolicyOptions,
    })),
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    ...(maxFailures !== undefined && { maxFailures }),
    isControlPlane,
    isByLabel,
  }))

test('fleet keeps its promises and completes a fix whatever pools, machines, people and clocks do', () => {
  fc.assert(
    fc.property(options, fc.array(step, { maxLength: 20 }), (rules, steps) => {
      const fleet = new SimulatedFleet(rules)
      for (const each of steps) fleet.happens(each)
      fleet.rest()
      fleet.helped('fix')
      expect(fleet.wrong).toEqual([])
    }),
    { numRuns: 30 },
  )
})
