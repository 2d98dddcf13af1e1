import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RepoSnapshot } from '../../src/protocol/repo-snapshot.ts'
import { DEFAULT_TIMES } from '../../src/simulate/agent-times.ts'
import { nodeObject } from '../../src/simulate/node-objects.ts'
import { type SimulatedRollout, type SimulationInput, simulateFleet } from '../../src/simulate/simulate-fleet.ts'
import { aSnapshot } from '../controller/a-snapshot.ts'
import { PLAIN, PLAIN_BUT_TOGETHER } from './plain-pacing.ts'

const STARTS = Date.UTC(2026, 10, 21, 22)
const MINUTE = 60_000

interface Pool {
  readonly name: string
  readonly rollout: string
}

function aCommit(digit: string, pools: readonly Pool[], change: { readonly v: number; readonly version: string }): RepoSnapshot {
  const documents = pools.map(
    ({ name, rollout }) => `---
apiVersion: nodewave.io/v1alpha1
kind: NodePool
metadata: {name: ${name}}
spec:
  nodeSelector: {matchLabels: {role: ${name}}}
  ${name === 'b' ? 'dependsOn: [a]' : ''}
  kubelet: {layout: env, version: "${change.version}", flags: {v: ${change.v}}}
  rollout: {${rollout}}
`,
  )
  return aSnapshot(digit, {
    'fleet.yaml': `apiVersion: nodewave.io/v1alpha1
kind: Fleet
metadata: {name: fleet}
spec: {maxUnavailable: 4}
${documents.join('')}`,
  })
}

const waves = fc.constantFrom(
  '',
  'waves: [{name: canary, nodes: 1, soak: 3m}, {name: rest, nodes: 100%}]',
  'waves: [{name: canary, nodes: 1, soak: 20s}, {name: early, nodes: 30%, soak: 1m}, {name: rest, nodes: 100%}]',
  'waves: [{name: zone-a, nodes: {matchLabels: {topology.kubernetes.io/zone: zone-a}}, soak: 0s}, {name: rest, nodes: 100%, soak: 1m}]',
)
const rollout = fc
  .tuple(
    waves,
    fc.constantFrom('maxUnavailable: 1', 'maxUnavailable: 2', 'maxUnavailable: 40%', 'maxUnavailable: 100%'),
    fc.constantFrom('', 'zones: OneAtATime'),
    fc.constantFrom(
      '',
      'windows: [{schedule: "30 22 * * *", duration: 5m}]',
      'windows: [{schedule: "0 22 * * *", duration: 2m}]',
    ),
    fc.constantFrom('', 'drain: {mode: Always}', 'drain: {mode: Never}', 'drain: {mode: Always, timeout: 90s, onTimeout: Skip}'),
    fc.constantFrom('', 'onFailure: Halt', 'maxFailures: 2', 'onFailure: Rollback'),
  )
  .map((parts) => parts.filter(Boolean).join(', '))

const node = fc.record({
  zone: fc.constantFrom('zone-a', 'zone-b', 'zone-c'),
  state: fc.constantFrom('well', 'well', 'well', 'well', 'well', 'well', 'down', 'cordoned'),
  slow: fc.constantFrom(1, 1, 1, 3, 1.5, 9),
  fails: fc.constantFrom(false, false, false, false, false, false, false, false, true),
})
const fleets = fc.record({
  pools: fc.array(fc.record({ rollout, nodes: fc.array(node, { minLength: 1, maxLength: 9 }) }), { minLength: 1, maxLength: 2 }),
  changesVersion: fc.boolean(),
})
type Drawn = typeof fleets extends fc.Arbitrary<infer T> ? T : never

function inputOf({ pools, changesVersion }: Drawn): SimulationInput {
  const named = pools.map(({ rollout }, index) => ({ name: 'ab'[index] ?? '', rollout }))
  const nodes = pools.flatMap(({ nodes }, index) =>
    nodes.map((drawn, at) => ({ ...drawn, name: `${'ab'[index]}-${at}`, role: 'ab'[index] ?? '' })),
  )
  return {
    from: aCommit('a', named, { v: 2, version: '1.35.4' }),
    to: aCommit('b', named, { v: 4, version: changesVersion ? '1.36.3' : '1.35.4' }),
    nodes: nodes.map(({ name, role, zone, state }) =>
      nodeObject(
        {
          ...{ name, labels: { role, 'topology.kubernetes.io/zone': zone }, arch: 'amd64', osImage: 'Debian 12' },
          ...{ internalIP: undefined, kubeletVersion: undefined, ready: state !== 'down', unschedulable: state === 'cordoned' },
        },
        STARTS,
      ),
    ),
    // Which pod goes where hangs on which was evicted first, and evictions are actions too.
    pods: [],
    ...{ startsAt: STARTS, within: 180 * MINUTE, serverVersions: ['1.36.3'] },
    times: { ...DEFAULT_TIMES, slow: new Map(nodes.map(({ name, slow }) => [name, slow])) },
    fails: new Set(nodes.filter(({ fails }) => fails).map(({ name }) => name)),
  }
}

/** How many nodes are where when a step begins is told in its message, and hangs on how finely one looks. */
function known({ pools, ...rollout }: SimulatedRollout) {
  return { ...rollout, pools: pools.map((pool) => ({ ...pool, steps: pool.steps.map(({ message, ...step }) => step) })) }
}

/** Who is down with whom within one instant hangs on whose word is heard first. */
function timeline(rollout: SimulatedRollout) {
  const { peak, peakByZone, ...others } = known(rollout)
  return others
}

/** The last node is down: once it is assigned, its pool is done, though nobody says anything of that node. */
const LAST_IS_DOWN: Drawn = {
  pools: [
    {
      rollout: 'waves: [{name: canary, nodes: 1, soak: 3m}, {name: rest, nodes: 100%}], maxUnavailable: 100%',
      nodes: [
        { zone: 'zone-c', state: 'well', slow: 1, fails: false },
        { zone: 'zone-b', state: 'down', slow: 1.5, fails: false },
      ],
    },
  ],
  changesVersion: true,
}

const RUNS = { numRuns: 20, endOnFailure: true, examples: [[LAST_IS_DOWN]] as [[Drawn]] }

test('a simulation comes to what it comes to when the controller looks at everything again after each action', async () => {
  await fc.assert(
    fc.asyncProperty(fleets, async (drawn) => {
      const input = inputOf(drawn)
      expect(known(await simulateFleet(input))).toEqual(known(await simulateFleet(input, PLAIN_BUT_TOGETHER)))
    }),
    RUNS,
  )
}, 120_000)

test('a simulation comes to what it comes to when the controller looks at everything again after each word of an agent', async () => {
  await fc.assert(
    fc.asyncProperty(fleets, async (drawn) => {
      // A failure stops those whose word comes after it, and not those before: of what fails at one instant, either may be first.
      const input = { ...inputOf(drawn), fails: new Set<string>() }
      expect(timeline(await simulateFleet(input))).toEqual(timeline(await simulateFleet(input, PLAIN)))
    }),
    RUNS,
  )
}, 120_000)
