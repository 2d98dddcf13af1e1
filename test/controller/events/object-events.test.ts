import { expect, test } from 'vitest'
import type { ClusterNode } from '../../../src/controller/cache/cluster-node.ts'
import { eventsOfNode } from '../../../src/controller/events/node-events.ts'
import { eventsOfDecision, firstCommitEvents, objectEvents } from '../../../src/controller/events/object-events.ts'
import type { HeadState } from '../../../src/controller/revisions/head-intake.ts'
import type { Refusal } from '../../../src/controller/writes/write-failures.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'

interface Draft {
  readonly head?: HeadState
  readonly undecided?: unknown
  readonly refusals?: readonly Pick<Refusal, 'object' | 'about'>[]
}

/** `NodePool workers (uid-1) Reason: message` of a fleet with one pool. */
function told({ head = {}, undecided, refusals = [] }: Draft): string[] {
  const events = objectEvents({
    ofNodes: [],
    head: { ...head, fleet: { pools: new Map([['workers', {}]]) } } as never,
    undecided: new Map(undecided === undefined ? [] : [['workers', undecided]]),
    refusals: refusals.map((refusal) => ({ ...refusal, message: 'no', isDue: true })),
    pools: new Map([['workers', { uid: 'uid-1' }]]) as never,
  })
  return events.map(({ object, reason, message }) => {
    const uid = object.kind === 'NodePool' ? ` (${object.uid})` : ''
    return `${object.kind} ${object.name}${uid} ${reason}: ${message}`
  })
}

const POOL = 'NodePool workers (uid-1)'
const conflict = new KubeError('changed', { code: 409, reason: 'Conflict' })
const forbidden = new KubeError('forbidden', { code: 403, reason: 'Forbidden' })

test.each<readonly [what: string, draft: Draft, events: readonly string[]]>([
  ['nothing to tell', {}, []],
  ['an invalid commit', { head: { problem: 'bad' } }, [`${POOL} InvalidRepository: bad`]],
  ['a commit without a signature', { head: { untrusted: 'nobody' } }, [`${POOL} UntrustedCommit: nobody`]],
  ['a commit that waits', { head: { held: 'much' } }, [`${POOL} CommitNeedsPromotion: much`]],
  ['a repository that is away', { head: { trouble: 'away' } }, [`${POOL} RepositoryUnreachable: away`]],
  ['a pool that could not be decided upon', { undecided: new Error('odd') }, [`${POOL} ActionRefused: odd`]],
  ['a pool whose write was forbidden', { undecided: forbidden }, [`${POOL} ActionRefused: forbidden`]],
  ['a pool that changed meanwhile', { undecided: conflict }, []],
  ['a pool that failed with no error', { undecided: 'text' }, []],
  ['an assignment that was refused', { refusals: [{ object: 'node n0', about: 'd' }] }, ['Node n0 AssignmentRefused: no']],
  ['a signature that was refused', { refusals: [{ object: 'signature n0', about: 'sign' }] }, ['Node n0 AssignmentRefused: no']],
  ['settings that were refused', { refusals: [{ object: 'settings n0', about: 'restore' }] }, ['Node n0 SettingsRefused: no']],
  ['a label that was refused', { refusals: [{ object: 'label n0', about: 'label' }] }, ['Node n0 SettingsRefused: no']],
  ['a status that was refused', { refusals: [{ object: 'pool workers', about: '' }] }, [`${POOL} ActionRefused: no`]],
  ['a payload that was refused', { refusals: [{ object: 'payload x', about: 'workers' }] }, [`${POOL} ActionRefused: no`]],
  ['a payload of a pool that is gone', { refusals: [{ object: 'payload x', about: 'gone' }] }, []],
])('people find at the objects concerned: %s', (_, draft, events) => {
  expect(told(draft)).toEqual(events)
})

test('what keeps the first commit from being taken is told at the namespace of the controller', () => {
  const events = firstCommitEvents({ problem: 'bad', trouble: 'away' }, 'nodewave-system')
  expect(events.map(({ object, reason, message }) => `${object.kind} ${object.name} ${reason}: ${message}`)).toEqual([
    'Namespace nodewave-system InvalidRepository: bad',
    'Namespace nodewave-system RepositoryUnreachable: away',
  ])
  expect(firstCommitEvents({}, 'nodewave-system')).toEqual([])
})

test('the namespace of the controller tells that a commit needs promotion where no pool may be there to say so', () => {
  const object = { kind: 'Namespace', name: 'nodewave-system' }
  expect(firstCommitEvents({ held: 'much' }, 'nodewave-system')).toEqual([
    { object, type: 'Warning', reason: 'CommitNeedsPromotion', message: 'much' },
  ])
})

test('events of a decision stand at the pool, or at the node that they are about', () => {
  const pool = { kind: 'NodePool', name: 'workers', uid: 'uid-1' } as const
  const text = { type: 'Normal', reason: 'Completed', message: 'done' } as const
  const events = [
    { ...text, on: { kind: 'pool' } },
    { ...text, on: { kind: 'node', name: 'n0' } },
  ]
  expect(eventsOfDecision({ events } as never, pool)).toEqual([
    { ...text, object: pool },
    { ...text, object: { kind: 'Node', name: 'n0' } },
  ])
})

const error = { reason: 'HealthCheckFailed', message: 'kubelet exited' }
const contested = { written: JSON.stringify({ labels: ['tier'], drift: ['label tier'], contested: { 'label tier': 'kubectl' } }) }

test.each<readonly [what: string, status: object | undefined, settings: object | undefined, reasons: readonly string[]]>([
  ['that says nothing', undefined, undefined, []],
  ['that has applied its content', { phase: 'Applied' }, {}, []],
  ['that went back', { phase: 'RolledBack', error }, undefined, ['HealthCheckFailed']],
  ['that failed', { phase: 'Failed', error }, undefined, ['HealthCheckFailed']],
  ['that failed, and does not say why', { phase: 'Failed' }, undefined, []],
  ['with settings that nobody changes', undefined, { written: JSON.stringify({ labels: ['tier'] }) }, []],
  ['with settings that somebody changes each time', undefined, contested, ['SettingsContested']],
  ['with both', { phase: 'Failed', error }, contested, ['HealthCheckFailed', 'SettingsContested']],
])('a node %s has these events', (_, status, settings, reasons) => {
  const node = { name: 'n0', view: { status }, settings } as never as ClusterNode
  expect(eventsOfNode(node).map(({ reason }) => reason)).toEqual(reasons)
})
