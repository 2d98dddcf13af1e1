import { expect, test } from 'vitest'
import { nodeEnd, nodeSpans } from '../../../src/controller/traces/node-spans.ts'
import { gateSpans, rolloutSpans, type TracedPool } from '../../../src/controller/traces/pool-spans.ts'
import type { AgentStatus } from '../../../src/protocol/agent-status.ts'
import type { GateStatus, HistoryEntry } from '../../../src/protocol/node-pool.ts'
import type { NodeView } from '../../../src/rollout/model/node-view.ts'
import { noon } from '../../rollout/builders/instants.ts'
import { aNode } from '../../rollout/builders/nodes.ts'

const AT = '2026-11-21T12:00:00.000Z'
const assigned = { digest: 'd', revision: 'abc', pool: 'workers', grant: 'none', reboot: undefined, at: noon } as const
const status = { phase: 'Applied', since: '2026-11-21T12:00:09.000Z', digest: 'd', assignedAt: AT } as AgentStatus
const proof = { digest: 'd', assignedAt: noon, state: 'Passed', endedAt: noon + 15_000 } as const
const ended = (more: Partial<NodeView>) => nodeEnd({ ...aNode('n0'), assigned, status, ...more }, noon + 60_000)

test.each<readonly [what: string, more: Partial<NodeView>]>([
  ['is assigned nothing', { assigned: undefined }],
  ['was assigned by no instant', { assigned: { ...assigned, at: undefined } }],
  ['reports nothing', { status: undefined }],
  ['is still at work', { status: { ...status, phase: 'Applying' } as AgentStatus }],
  ['reports on other content', { status: { ...status, digest: 'e' } as AgentStatus }],
  [
    'reports on an earlier assignment of the same content',
    { status: { ...status, assignedAt: '2026-11-21T11:59:00.000Z' } as AgentStatus },
  ],
  ['waits for its proof', { proof: { ...proof, state: 'Wanted' } }],
])('a node that %s has not ended', (_, more) => {
  expect(ended(more)).toBeUndefined()
})

const failure = { phase: 'RolledBack', error: { reason: 'HealthCheckFailed', message: 'kubelet exited' } }
const LATER = noon + 9_000

test.each<readonly [what: string, more: Partial<NodeView>, expected: object]>([
  ['has applied it', {}, { phase: 'Applied', appliedAt: LATER, end: LATER }],
  ['was proved', { proof }, { phase: 'Applied', appliedAt: LATER, end: noon + 15_000 }],
  [
    'was not proved',
    { proof: { ...proof, state: 'Failed', message: 'no image' } },
    { phase: 'Applied', appliedAt: LATER, end: noon + 15_000, error: 'no image' },
  ],
  [
    'was not proved, nobody says why',
    { proof: { ...proof, state: 'Failed' } },
    { phase: 'Applied', appliedAt: LATER, end: noon + 15_000, error: 'no pod runs on the node' },
  ],
  [
    'has a proof of other content',
    { proof: { ...proof, digest: 'e', state: 'Failed' } },
    { phase: 'Applied', appliedAt: LATER, end: LATER },
  ],
  [
    'has a proof of an earlier assignment',
    { proof: { ...proof, assignedAt: 5, state: 'Wanted' } },
    { phase: 'Applied', appliedAt: LATER, end: LATER },
  ],
  [
    'went back before it could be proved',
    { status: { ...status, ...failure } as AgentStatus, proof: { ...proof, state: 'Wanted' } },
    { phase: 'RolledBack', appliedAt: LATER, end: LATER, error: 'HealthCheckFailed: kubelet exited' },
  ],
])('a node that %s has ended', (_, more, expected) => {
  expect(ended(more)).toEqual({ assigned, ...expected })
})

const spans = (cordonedAt: number | undefined) => {
  const end = ended({})
  return end === undefined
    ? []
    : nodeSpans(aNode('n0'), end, { traceId: 't', cordonedAt }).map(({ name, start }) => [name, start - noon])
}

test.each([
  [
    'cordoned before',
    noon - 5_000,
    [
      ['node n0', -5_000],
      ['drain', -5_000],
      ['apply', 0],
    ],
  ],
  [
    'cordoned when it was assigned',
    noon,
    [
      ['node n0', 0],
      ['apply', 0],
    ],
  ],
  [
    'cordoned by a clock that was ahead',
    noon + 5_000,
    [
      ['node n0', 0],
      ['apply', 0],
    ],
  ],
  [
    'not cordoned',
    undefined,
    [
      ['node n0', 0],
      ['apply', 0],
    ],
  ],
])('a node that was %s begins its change, and its drain, then', (_, cordonedAt, expected) => {
  expect(spans(cordonedAt)).toEqual(expected)
})

const A = 'a'.repeat(40)
const run: HistoryEntry = {
  revision: A,
  fingerprint: 'f',
  startedAt: AT,
  endedAt: '2026-11-21T13:00:00.000Z',
  result: 'Completed',
}
const aPool = (...history: readonly HistoryEntry[]): TracedPool => ({ name: 'workers', uid: 'u', status: { history } })

test.each<readonly [what: string, more: Partial<HistoryEntry>, attributes: object]>([
  ['that nobody signed', {}, {}],
  ['with its subject', { subject: 'raise the limit' }, { 'nodewave.subject': 'raise the limit' }],
  ['with its author', { author: 'ann' }, { 'nodewave.author': 'ann' }],
])('the span of a rollout names a commit %s', (_, more, attributes) => {
  expect(rolloutSpans(aPool({ ...run, ...more }))[0]?.attributes).toEqual({
    ...{ 'nodewave.pool': 'workers', 'nodewave.revision': A, 'nodewave.result': 'Completed', 'vcs.ref.head.revision': A },
    ...attributes,
  })
})

const gate = { name: 'errors', wave: 'canary', revision: A, rollout: AT, since: AT, state: 'Passed' } as GateStatus

test.each<readonly [what: string, more: Partial<GateStatus>, shown: readonly string[]]>([
  ['passed', {}, ['gate errors']],
  ['failed', { state: 'Failed' }, ['gate errors: the gate failed']],
  ['failed, and said why', { state: 'Failed', message: 'too many' }, ['gate errors: too many']],
  ['waits', { state: 'Waiting' }, []],
  ['is of another rollout of the same commit', { rollout: '2026-11-21T09:00:00.000Z' }, []],
  ['is of another commit', { revision: 'b'.repeat(40) }, []],
])('a gate that %s has these spans', (_, more, shown) => {
  const pool = { ...aPool(run), status: { history: [run], gates: [{ ...gate, ...more }] } }
  expect(gateSpans(pool).map(({ name, error }) => (error === undefined ? name : `${name}: ${error}`))).toEqual(shown)
})
