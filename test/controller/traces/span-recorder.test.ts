import { expect, test } from 'vitest'
import { projectNode } from '../../../src/controller/cache/cluster-node.ts'
import type { TracedPool } from '../../../src/controller/traces/pool-spans.ts'
import type { Span } from '../../../src/controller/traces/span.ts'
import { SpanRecorder } from '../../../src/controller/traces/span-recorder.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { GateStatus, HistoryEntry, WaveStatus } from '../../../src/protocol/node-pool.ts'

const START = Date.parse('2026-11-21T08:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()
const A = 'a'.repeat(40)
const DIGEST = `v1:${'1'.repeat(64)}`

function aPool({
  run = {},
  wave,
  gates = [],
}: {
  readonly run?: Partial<HistoryEntry>
  readonly wave?: Pick<WaveStatus, 'index' | 'name'>
  readonly gates?: readonly GateStatus[]
}): TracedPool {
  const entry = { revision: A, fingerprint: 'f', startedAt: at(0), result: 'Running' as const, ...run }
  return { name: 'workers', uid: 'u', status: { history: [entry], gates, ...(wave && { wave: { count: 2, ...wave } }) } }
}

interface Report {
  readonly phase: string
  readonly since: number
  readonly error?: object
}

function aNode(
  name: string,
  more: { readonly cordoned?: number; readonly assigned?: number; readonly report?: Report; readonly proof?: object } = {},
) {
  const { cordoned, assigned, report, proof } = more
  const desired = assigned !== undefined && { DIGEST, REVISION: A, POOL: 'workers', GRANT: 'drain', ASSIGNED: at(assigned) }
  const status = report && { ...report, since: at(report.since), digest: DIGEST, assignedAt: at(assigned ?? 0) }
  return projectNode(namesFor())({
    metadata: {
      name,
      annotations: {
        ...(cordoned !== undefined && { 'nodewave.io/cordoned-for': `${DIGEST}@${at(cordoned)}` }),
        ...(desired && { 'nodewave.io/desired-config': JSON.stringify(desired) }),
        ...(status && { 'nodewave.io/status': JSON.stringify(status) }),
        ...(proof && { 'nodewave.io/proof': JSON.stringify({ digest: DIGEST, assignedAt: at(assigned ?? 0), ...proof }) }),
      },
    },
    spec: { unschedulable: cordoned !== undefined },
    status: { nodeInfo: { kubeletVersion: 'v1.36.2' } },
  })
}

type Node = ReturnType<typeof aNode>

function aRecorder(began = 0) {
  const recorder = new SpanRecorder(START + began * 1000)
  return (seconds: number, pool: TracedPool, nodes: readonly Node[] = []) =>
    recorder.observe({ pools: new Map([['workers', pool]]), nodes: nodes.values() }, START + seconds * 1000)
}

/** `drain 10-20 < node n0`, in the order of the spans. */
function shown(spans: readonly Span[], all: readonly Span[] = spans): string[] {
  const nameOf = (id: string | undefined) => all.find(({ spanId }) => spanId === id)?.name ?? (id ? '?' : '')
  return spans.map(
    ({ name, start, end, parentSpanId, error }) =>
      `${name} ${(start - START) / 1000}-${(end - START) / 1000} < ${nameOf(parentSpanId)}${error ? `: ${error}` : ''}`,
  )
}

test('a rollout is one trace: waves, nodes, and the steps of each node', () => {
  const look = aRecorder()
  const all = [
    ...look(1, aPool({ wave: { index: 1, name: 'canary' } }), [aNode('n0', { cordoned: 1 })]),
    ...look(20, aPool({ wave: { index: 1, name: 'canary' } }), [aNode('n0', { cordoned: 1, assigned: 20 })]),
    ...look(31, aPool({ wave: { index: 1, name: 'canary' } }), [
      aNode('n0', { assigned: 20, report: { phase: 'Applied', since: 30 } }),
    ]),
    ...look(40, aPool({ wave: { index: 2, name: 'all' } }), [aNode('n1', { assigned: 40 })]),
    ...look(50, aPool({ wave: { index: 2, name: 'all' } }), [
      aNode('n1', { assigned: 40, report: { phase: 'Applied', since: 49 } }),
    ]),
    ...look(61, aPool({ run: { endedAt: at(60), result: 'Completed' } })),
  ]

  expect(shown(all)).toEqual([
    'node n0 1-30 < wave canary',
    'drain 1-20 < node n0',
    'apply 20-30 < node n0',
    'wave canary 0-40 < rollout workers',
    'node n1 40-49 < wave all',
    'apply 40-49 < node n1',
    'rollout workers 0-60 < ',
    'wave all 40-60 < rollout workers',
  ])
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1)
  expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(8)
  expect(all[0]).toMatchObject({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    attributes: { 'k8s.node.name': 'n0', 'nodewave.revision': A, 'nodewave.kubelet.version': '1.36.2' },
  })
})

test('what has ended is told once, however often it is looked at', () => {
  const look = aRecorder()
  const node = () => aNode('n0', { assigned: 5, report: { phase: 'Applied', since: 9 } })

  expect(look(10, aPool({}), [node()])).toHaveLength(2)
  expect(look(11, aPool({}), [node()])).toEqual([])
})

test('a node ends when a pod has proved it', () => {
  const look = aRecorder()
  const applied = { assigned: 5, report: { phase: 'Applied', since: 9 } }

  expect(look(10, aPool({}), [aNode('n0', { ...applied, proof: { state: 'Wanted' } })])).toEqual([])
  const proved = look(16, aPool({}), [aNode('n0', { ...applied, proof: { state: 'Passed', endedAt: at(15) } })])
  expect(shown(proved)).toEqual(['node n0 5-15 < ?', 'apply 5-9 < node n0', 'proof 9-15 < node n0'])
})

test('failures of nodes and rollouts are errors', () => {
  const look = aRecorder()
  const report = { phase: 'RolledBack', since: 9, error: { reason: 'HealthCheckFailed', message: 'kubelet exited' } }
  const halted = aPool({ run: { endedAt: at(12), result: 'Halted', message: '"n0": kubelet exited' } })
  const all = look(13, halted, [aNode('n0', { assigned: 5, report })])

  expect(shown(all)).toEqual([
    'rollout workers 0-12 < : "n0": kubelet exited',
    'node n0 5-9 < rollout workers: HealthCheckFailed: kubelet exited',
    'apply 5-9 < node n0: HealthCheckFailed: kubelet exited',
  ])
})

test('a gate that has passed is a part of its rollout', () => {
  const look = aRecorder()
  const gate = { name: 'errors', wave: 'canary', revision: A, rollout: at(0), since: at(3), askedAt: at(8) }

  expect(look(7, aPool({ gates: [{ ...gate, state: 'Waiting' }] }))).toEqual([])
  expect(shown(look(8, aPool({ gates: [{ ...gate, state: 'Passed' }] })))).toEqual(['gate errors 3-8 < ?'])
})

test('another controller uses the same ids, and tells nothing that ended long before it', () => {
  const ended = () => aNode('n0', { assigned: 5, report: { phase: 'Applied', since: 9 } })
  const [first] = aRecorder()(10, aPool({}), [ended()])
  const [again] = aRecorder(25)(26, aPool({}), [ended()])

  expect(again?.spanId).toBe(first?.spanId)
  expect(aRecorder(40)(41, aPool({}), [ended()])).toEqual([])
})

test('a wave that opened before this controller led is left out, and its nodes belong to the rollout', () => {
  const look = aRecorder(100)
  const second = aPool({ wave: { index: 2, name: 'all' } })
  const all = [
    ...look(101, second, [aNode('n0', { assigned: 90, report: { phase: 'Applied', since: 99 } })]),
    ...look(120, aPool({ run: { endedAt: at(119), result: 'Completed' } })),
  ]

  expect(shown(all)).toEqual(['node n0 90-99 < rollout workers', 'apply 90-99 < node n0', 'rollout workers 0-119 < '])
})

test('a node that was assigned in one wave belongs to it when it ends in the next one', () => {
  const look = aRecorder()
  const [canary, rest] = [aPool({ wave: { index: 1, name: 'canary' } }), aPool({ wave: { index: 2, name: 'all' } })]
  const all = [
    ...look(5, canary, [aNode('n0', { assigned: 5 })]),
    ...look(20, rest, [aNode('n0', { assigned: 5, report: { phase: 'Applying', since: 15 } })]),
    ...look(31, rest, [aNode('n0', { assigned: 5, report: { phase: 'Applied', since: 30 } })]),
  ]

  expect(shown(all)).toEqual(['wave canary 0-20 < ?', 'node n0 5-30 < wave canary', 'apply 5-30 < node n0'])
})

test.each([
  ['a second before its rollout began belongs to it', 6, ['node n0 5-9 < ?', 'apply 5-9 < node n0']],
  ['more than a second before a rollout began does not belong to it', 6.001, []],
])('a node that was assigned, by the clock of another controller, %s', (_, startedAt, expected) => {
  const node = aNode('n0', { assigned: 5, report: { phase: 'Applied', since: 9 } })
  expect(shown(aRecorder()(10, aPool({ run: { startedAt: at(startedAt) } }), [node]))).toEqual(expected)
})

test('a node that ended when this controller began to look is told once the status names its rollout', () => {
  const look = aRecorder(29)
  const node = aNode('n0', { assigned: 5, report: { phase: 'Applied', since: 9 } })
  const other = { revision: 'b'.repeat(40) }

  expect(look(30, aPool({ run: other }), [node])).toEqual([])
  expect(shown(look(31, aPool({}), [node]))).toEqual(['node n0 5-9 < ?', 'apply 5-9 < node n0'])
})

test('the clock of a node makes no span end before it begins, or in the future', () => {
  const look = aRecorder()
  const early = aNode('n0', { assigned: 5, report: { phase: 'Applied', since: -999 } })
  const late = aNode('n1', { assigned: 5, report: { phase: 'Applied', since: 9999 } })

  expect(shown(look(10, aPool({}), [early, late])).filter((line) => line.startsWith('node'))).toEqual([
    'node n0 5-5 < ?',
    'node n1 5-10 < ?',
  ])
})

test('a node that is missing in one look, as half of its fleet, is not recorded again when it is back', () => {
  const look = aRecorder()
  const pool = aPool({})
  const applied = (name: string) => aNode(name, { assigned: 1, report: { phase: 'Applied', since: 5 } })
  expect(new Set(look(6, pool, ['n0', 'n1'].map(applied)).map(({ attributes }) => attributes?.['k8s.node.name']))).toEqual(
    new Set(['n0', 'n1']),
  )
  expect(look(7, pool, [applied('n1')])).toEqual([])
  expect(look(8, pool, ['n0', 'n1'].map(applied))).toEqual([])
})
