import { expect, test } from 'vitest'
import type { Window } from '../../../src/calendar/window.ts'
import {
  type ComparedFleet,
  type ComparedPolicy,
  loosenedFleet,
  loosenedPolicy,
} from '../../../src/rollout/ceilings/loosened-policy.ts'
import { looseningReason } from '../../../src/rollout/ceilings/loosening-reason.ts'

const BASE: ComparedPolicy = {
  waves: [],
  maxUnavailable: { count: 1 },
  maxFailures: { count: 0 },
  onFailure: 'Rollback',
  drain: { mode: 'Auto', timeout: 900_000, onTimeout: 'Wait', deleteEmptyDirData: false, force: false },
  proof: { mode: 'Auto', timeout: 120_000 },
  zones: 'OneAtATime',
  cordoned: 'Skip',
  applyTimeout: 600_000,
  allowDowngrade: false,
  windows: [],
  rollbackOutsideWindows: false,
}

const canary = { name: 'canary', nodes: { count: 1 }, soak: 600_000, manual: true, maxFailures: { count: 0 } }
const rest = { name: 'rest', nodes: { percent: 100 }, soak: 0, manual: false }
const night: Window = { action: 'allow', schedule: '0 22 * * *', duration: 3_600_000, timeZone: 'UTC' }
const freeze: Window = { ...night, action: 'deny' }
const drain = (change: Partial<ComparedPolicy['drain']>) => ({ drain: { ...BASE.drain, ...change } })
const waves = (change: object) => ({ waves: [{ ...canary, ...change }, rest] })
const CANARY = { waves: [canary, rest] }

const half = { name: 'half', nodes: { percent: 50 }, soak: 0, manual: false }
/** No wave is left that stops anything. */
const GONE = [
  'rollout.waves[1].nodes 1 → 100%',
  'rollout.waves[1].soak 600s → 0s',
  'rollout.waves[1].manual true → false',
  'rollout.waves[1].maxFailures 0 → removed',
  'rollout.waves[1] "rest" → removed',
]

type Case = readonly [what: string, before: Partial<ComparedPolicy>, after: Partial<ComparedPolicy>, loosened: readonly string[]]

/** Of ten nodes. */
test.each<Case>([
  ['more unavailable', {}, { maxUnavailable: { count: 2 } }, ['rollout.maxUnavailable 1 → 2']],
  ['more unavailable by percent', {}, { maxUnavailable: { percent: 20 } }, ['rollout.maxUnavailable 1 → 20%']],
  ['as many by percent', {}, { maxUnavailable: { percent: 10 } }, []],
  ['the same percentage', { maxUnavailable: { percent: 20 } }, { maxUnavailable: { percent: 20 } }, []],
  ['fewer unavailable', { maxUnavailable: { count: 2 } }, {}, []],
  ['more failures', {}, { maxFailures: { percent: 10 } }, ['rollout.maxFailures 0 → 10%']],
  ['another end of failures', { onFailure: 'Halt' }, {}, ['rollout.onFailure Halt → Rollback']],
  ['every zone at once', {}, { zones: 'Any' }, ['rollout.zones OneAtATime → Any']],
  ['one zone after the other', { zones: 'Any' }, {}, []],
  ['cordoned nodes', {}, { cordoned: 'Change' }, ['rollout.cordoned Skip → Change']],
  ['downgrades', {}, { allowDowngrade: true }, ['rollout.allowDowngrade false → true']],
  ['rollbacks at any time', {}, { rollbackOutsideWindows: true }, ['rollout.rollbackOutsideWindows false → true']],
  [
    'reboots of machines that require it',
    {},
    { reboot: { whenRequired: 'InWindows', timeout: 600_000 } },
    ['rollout.reboot.whenRequired Never → InWindows'],
  ],
  ['no drain', {}, drain({ mode: 'Never' }), ['rollout.drain.mode Auto → Never']],
  ['a drain always', {}, drain({ mode: 'Always' }), []],
  ['pods left behind', {}, drain({ onTimeout: 'Proceed' }), ['rollout.drain.onTimeout Wait → Proceed']],
  [
    'less time before pods are left behind',
    drain({ onTimeout: 'Proceed' }),
    drain({ onTimeout: 'Proceed', timeout: 60_000 }),
    ['rollout.drain.timeout 900s → 60s'],
  ],
  [
    'more time before pods are left behind',
    drain({ onTimeout: 'Proceed' }),
    drain({ onTimeout: 'Proceed', timeout: 1_000_000 }),
    [],
  ],
  ['less time for a drain that waits', {}, drain({ timeout: 60_000 }), []],
  [
    'less time for pods to end',
    drain({ gracePeriodSeconds: 30 }),
    drain({ gracePeriodSeconds: 1 }),
    ['rollout.drain.gracePeriodSeconds 30 → 1'],
  ],
  ['a time for pods to end', {}, drain({ gracePeriodSeconds: 30 }), ['rollout.drain.gracePeriodSeconds removed → 30']],
  ['pods that end as they say', drain({ gracePeriodSeconds: 30 }), {}, []],
  [
    'a minor version without a drain',
    {},
    { disruption: { minorVersion: 'restart' } },
    ['rollout.disruption.minorVersion drain → restart'],
  ],
  ['a minor version with a reboot', {}, { disruption: { minorVersion: 'reboot' } }, []],
  [
    'a patch version as by default',
    { disruption: { patchVersion: 'drain' } },
    {},
    ['rollout.disruption.patchVersion drain → restart'],
  ],
  [
    'a field that needs less',
    { disruption: { fields: { maxPods: 'drain' } } },
    { disruption: { fields: { maxPods: 'restart' } } },
    ['rollout.disruption.fields.maxPods drain → restart'],
  ],
  [
    'a field that needs more',
    { disruption: { fields: { maxPods: 'drain' } } },
    { disruption: { fields: { maxPods: 'reboot' } } },
    [],
  ],
  [
    'a field stated at last, which may need less',
    {},
    { disruption: { fields: { cgroupDriver: 'drain' } } },
    ['rollout.disruption.fields.cgroupDriver default → drain'],
  ],
  ['a field stated at last as what needs most', {}, { disruption: { fields: { maxPods: 'reboot' } } }, []],
  [
    'a field stated no more',
    { disruption: { fields: { maxPods: 'drain' } } },
    {},
    ['rollout.disruption.fields.maxPods drain → default'],
  ],
  ['a field stated no more that could not need less', { disruption: { fields: { maxPods: 'restart' } } }, {}, []],
  ['local data', {}, drain({ deleteEmptyDirData: true }), ['rollout.drain.deleteEmptyDirData false → true']],
  ['bare pods', {}, drain({ force: true }), ['rollout.drain.force false → true']],
  ['no proof', {}, { proof: { mode: 'Never', timeout: 1 } }, ['rollout.proof.pod.mode Auto → Never']],
  ['a larger first wave', CANARY, waves({ nodes: { count: 3 } }), ['rollout.waves[0].nodes 1 → 3']],
  ['a smaller first wave', waves({ nodes: { count: 3 } }), CANARY, []],
  ['a shorter soak', CANARY, waves({ soak: 60_000 }), ['rollout.waves[0].soak 600s → 60s']],
  ['a longer soak', CANARY, waves({ soak: 900_000 }), []],
  ['a wave that opens by itself', CANARY, waves({ manual: false }), ['rollout.waves[0].manual true → false']],
  ['failures of a wave', CANARY, waves({ maxFailures: undefined }), ['rollout.waves[0].maxFailures 0 → removed']],
  [
    'a wave of other labels',
    waves({ nodes: { matchLabels: { a: 'x' } } }),
    waves({ nodes: { matchLabels: { a: 'y' } } }),
    ['rollout.waves[0].nodes {"matchLabels":{"a":"x"}} → {"matchLabels":{"a":"y"}}'],
  ],
  [
    'a wave by labels in place of a count',
    CANARY,
    waves({ nodes: { matchLabels: { a: 'x' } } }),
    ['rollout.waves[0].nodes 1 → {"matchLabels":{"a":"x"}}'],
  ],
  [
    'a count in place of a wave by labels',
    waves({ nodes: { matchLabels: { a: 'x' } } }),
    CANARY,
    ['rollout.waves[0].nodes {"matchLabels":{"a":"x"}} → 1'],
  ],
  ['waves in other words', { waves: [canary] }, { waves: [canary, rest] }, []],
  ['waves at last', {}, CANARY, []],
  ['a last wave that takes what is left', { waves: [half, half] }, { waves: [half] }, []],
  ['a first wave of no nodes', CANARY, waves({ nodes: { count: 0 } }), GONE],
  ['a first wave of a percentage that is no node', CANARY, waves({ nodes: { percent: 9 } }), GONE],
  [
    'no waves any more',
    waves({ manual: false, maxFailures: undefined }),
    {},
    ['rollout.waves[0].nodes 1 → 100%', 'rollout.waves[0].soak 600s → 0s', 'rollout.waves[1] "rest" → removed'],
  ],
  ['a gate gone', { gates: [{ name: 'slo' }] }, {}, ['rollout.gates "slo" → removed']],
  ['a gate more', {}, { gates: [{ name: 'slo' }] }, []],
  [
    'a gate of another check',
    { gates: [{ name: 'slo', check: 1 } as { name: string }] },
    { gates: [{ name: 'slo' }] },
    ['rollout.gates "slo" → changed'],
  ],
  [
    'a window longer',
    { windows: [night] },
    { windows: [{ ...night, duration: 7_200_000 }] },
    ['rollout.windows closed → allow "0 22 * * *" for 7200s'],
  ],
  ['a window shorter', { windows: [night] }, { windows: [{ ...night, duration: 60_000 }] }, []],
  ['no window any more', { windows: [night] }, {}, ['rollout.windows allow → removed']],
  ['a window at last', {}, { windows: [night] }, []],
  ['a freeze gone', { windows: [freeze] }, {}, ['rollout.windows deny "0 22 * * *" for 3600s → removed']],
  ['a freeze more', {}, { windows: [freeze] }, []],
  ['a pool not waited for', { dependsOn: ['infra'] }, { dependsOn: [] }, ['dependsOn infra → removed']],
])('loosenedPolicy knows %s', (_, before, after, loosened) => {
  expect(lines(loosenedPolicy({ ...BASE, ...before }, { ...BASE, ...after }, 10))).toEqual(loosened)
})

test('loosenedPolicy knows downgrades where nothing was said of them', () => {
  const { allowDowngrade: _, ...unstated } = BASE

  expect(lines(loosenedPolicy(unstated, { ...BASE, allowDowngrade: true }, 10))).toEqual(['rollout.allowDowngrade false → true'])
  expect(lines(loosenedPolicy({ ...BASE, allowDowngrade: true }, unstated, 10))).toEqual([])
  expect(lines(loosenedPolicy(unstated, unstated, 10))).toEqual([])
})

test.each<readonly [what: string, before: ComparedFleet, after: ComparedFleet, loosened: readonly string[]]>([
  ['more unavailable', { maxUnavailable: { count: 3 } }, { maxUnavailable: { percent: 40 } }, ['maxUnavailable 3 → 40%']],
  ['no cap of failures', { maxFailures: { count: 3 } }, {}, ['maxFailures 3 → removed']],
  ['a cap at last', {}, { maxFailures: { count: 3 } }, []],
  ['no blast radius', { blastRadius: { maxNodes: { percent: 50 } } }, {}, ['blastRadius.maxNodes 50% → removed']],
  [
    'a greater blast radius',
    { blastRadius: { maxFilesDeleted: 1 } },
    { blastRadius: { maxFilesDeleted: 2 } },
    ['blastRadius.maxFilesDeleted 1 → 2'],
  ],
  ['as many files deleted', { blastRadius: { maxFilesDeleted: 1 } }, { blastRadius: { maxFilesDeleted: 1 } }, []],
  ['fewer files deleted', { blastRadius: { maxFilesDeleted: 2 } }, { blastRadius: { maxFilesDeleted: 1 } }, []],
  ['files deleted at last', {}, { blastRadius: { maxFilesDeleted: 1 } }, []],
  ['any number of files deleted', { blastRadius: { maxFilesDeleted: 1 } }, {}, ['blastRadius.maxFilesDeleted 1 → removed']],
  ['as many unavailable', { maxUnavailable: { count: 3 } }, { maxUnavailable: { count: 3 } }, []],
  ['as many unavailable of ten nodes', { maxUnavailable: { count: 3 } }, { maxUnavailable: { percent: 30 } }, []],
  ['a count for a greater percentage', { maxUnavailable: { percent: 30 } }, { maxUnavailable: { count: 2 } }, []],
  [
    'a count for a smaller percentage',
    { maxUnavailable: { percent: 30 } },
    { maxUnavailable: { count: 4 } },
    ['maxUnavailable 30% → 4'],
  ],
  ['assignments by hand no more', { byHand: 'Allow' }, {}, []],
  ['assignments by hand', {}, { byHand: 'Allow' }, ['byHand Deny → Allow']],
])('loosenedFleet knows %s', (_, before, after, loosened) => {
  expect(lines(loosenedFleet(before, after, 10))).toEqual(loosened)
})

function lines(loosened: ReturnType<typeof loosenedPolicy>): string[] {
  return loosened.map(({ field, from, to }) => `${field} ${from} → ${to}`)
}

const strict = { fleet: {}, pools: new Map([['a', BASE]]) }
const loose = { ...BASE, maxUnavailable: { count: 5 } }

test('looseningReason names field, place and values, and nothing when no content changes', () => {
  const change = {
    ...{ before: strict, after: { fleet: {}, pools: new Map([['a', loose]]) } },
    moves: [{ from: 'a', to: 'a', nodes: 4 }],
    placeOf: (field: string, pool?: string) => `${pool}.yaml:${field.length}`,
  }

  expect(looseningReason({ ...change, touched: 4 })).toBe(
    'it changes 4 nodes and loosens the rollout policy: rollout.maxUnavailable of pool "a" (a.yaml:22): 1 → 5; push one of the two first, and the other when that is accepted',
  )
  expect(looseningReason({ ...change, touched: 0 })).toBeUndefined()
  expect(looseningReason({ ...change, after: strict, touched: 4 })).toBeUndefined()
})

test('looseningReason compares the pools of nodes that a commit gives to another pool', () => {
  const after = {
    fleet: {},
    pools: new Map([
      ['a', BASE],
      ['b', loose],
    ]),
  }
  const moves = [{ from: 'a', to: 'b', nodes: 2 }]

  expect(looseningReason({ before: strict, after, moves, touched: 1, placeOf: () => undefined })).toBe(
    'it changes 1 node and loosens the rollout policy: rollout.maxUnavailable of pool "b", which takes nodes of "a": 1 → 5; push one of the two first, and the other when that is accepted',
  )
  expect(looseningReason({ before: strict, after, moves: [], touched: 1, placeOf: () => undefined })).toBeUndefined()
})

test('looseningReason takes a percentage of the nodes that the pool will have', () => {
  const after = { fleet: {}, pools: new Map([['a', { ...BASE, maxUnavailable: { percent: 20 } }]]) }
  const reasonFor = (nodes: number) => {
    const moves = [
      { from: 'a', to: 'a', nodes },
      { from: 'b', to: 'a', nodes: 4 },
    ]
    return looseningReason({ before: strict, after, moves, touched: 1, placeOf: () => undefined })
  }

  expect(reasonFor(1)).toBeUndefined()
  expect(reasonFor(6)).toMatch(/rollout\.maxUnavailable of pool "a": 1 → 20%; push/)
})

test('looseningReason names five fields, and counts the others', () => {
  const before = { ...BASE, maxUnavailable: { count: 1 }, maxFailures: { count: 1 } }
  const five: ComparedPolicy = {
    ...{ ...before, maxUnavailable: { count: 2 }, maxFailures: { count: 2 }, zones: 'Any', cordoned: 'Change' },
    allowDowngrade: true,
  }
  const reasonFor = (after: ComparedPolicy) =>
    looseningReason({
      ...{ before: { fleet: {}, pools: new Map([['a', before]]) }, after: { fleet: {}, pools: new Map([['a', after]]) } },
      ...{ moves: [], touched: 2, placeOf: () => undefined },
    })

  expect(reasonFor(five)).toMatch(/rollout\.allowDowngrade of pool "a": false → true; push one of the two first/)
  expect(reasonFor({ ...five, rollbackOutsideWindows: true })).toMatch(/false → true, 1 more; push one of the two first/)
})
