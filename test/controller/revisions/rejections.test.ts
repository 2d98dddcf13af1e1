import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { projectConfigMap, type StoredConfigMap } from '../../../src/controller/cache/stored-config-map.ts'
import { allRejections, Rejections } from '../../../src/controller/revisions/rejections.ts'
import { aFleet } from '../a-fleet.ts'
import { FakeKube, refusal } from '../fake-kube.ts'
import { aStage, assignedRevision, NODES, POOLS, readyOf, type Stage } from '../stage.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const REVISIONS = '/api/v1/namespaces/nodewave-revisions/configmaps'
const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%}], maxUnavailable: 100%'

test('a NodePool object that somebody deletes does not take with it which commit failed, and a retry does', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  const mended = { yet: false }
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === B && !mended.yet ? 'rolls back' : 'applies'))
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  stage.push('b', aFleet({ rollout, v: 4 }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False RolledBack')
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))
  await notedAt(stage, ['rejected.nodewave.io/workers'])

  const assigned = stage.requests.filter((line) => line.startsWith(`PATCH ${NODES}/`)).length
  await stage.kube.delete(`${POOLS}/workers`)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False Halted')
  expect(stage.requests.filter((line) => line.startsWith(`PATCH ${NODES}/`)).length).toBe(assigned)

  mended.yet = true
  await stage.kube.patch(`${POOLS}/workers`, { metadata: { annotations: { 'nodewave.io/retry': B } } })
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  await notedAt(stage, [])
})

test('a pool rolls back though the server takes no note of what failed, and the note follows', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  const refused = stage.logged((line) => line.includes('fleet-bbbbbbbbbbbb-0'))
  stage.server.faults.failNext({ verb: 'patch', resource: 'configmaps', code: 500, times: 1000 })
  stage.push('b', aFleet({ rollout, v: 4 }))
  await refused
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === A))

  stage.server.faults.clear()
  await notedAt(stage, ['rejected.nodewave.io/workers'])
})

/** Resolves when the kept revision bears just these notes: they are written last in a pass. */
async function notedAt({ until, clock }: Stage, keys: readonly string[]): Promise<void> {
  await until(REVISIONS, (found) => {
    clock.advance(1000)
    const { annotations = {} } = found.get('fleet-bbbbbbbbbbbb-0')?.metadata ?? {}
    return isDeepStrictEqual(
      Object.keys(annotations).filter((key) => key.startsWith('rejected.')),
      keys,
    )
  })
}

/** What is kept of revisions: one part each, by commit, with its place in the order and its notes. */
function someRejections(
  revisions: Readonly<Record<string, readonly [sequence: string, notes: Readonly<Record<string, string>>]>>,
) {
  const kube = new FakeKube()
  const configMaps = new ObjectCache<StoredConfigMap>(() => undefined)
  for (const [commit, [sequence, notes]] of Object.entries(revisions)) {
    const annotations = { 'nodewave.io/revision': commit, 'nodewave.io/part': '0', 'nodewave.io/sequence': sequence, ...notes }
    configMaps.wrote(
      projectConfigMap(kube.put(`${REVISIONS}/fleet-${commit}-0`, { metadata: { name: `fleet-${commit}-0`, annotations } })),
    )
  }
  return { kube, rejections: new Rejections({ kube, namespace: 'nodewave-revisions', configMaps }) }
}

const of = (pool: string, fingerprint: string) => ({ [`rejected.nodewave.io/${pool}`]: fingerprint })

test('what failed on a pool comes newest first, whatever the order of the ConfigMaps', () => {
  const { rejections } = someRejections({
    ...{ first: ['1', of('workers', 'f1')], third: ['3', of('workers', 'f3')], other: ['4', of('gpu', 'f4')] },
    ...{ second: ['2', of('workers', 'f2')], good: ['5', {}] },
  })
  expect(rejections.of('workers')).toEqual([
    { revision: 'third', fingerprint: 'f3' },
    { revision: 'second', fingerprint: 'f2' },
    { revision: 'first', fingerprint: 'f1' },
  ])
})

test('notes are kept when they are as the status says, and written where they are not', async () => {
  const { kube, rejections } = someRejections({ bad: ['1', {}], worse: ['2', of('workers', 'f2')] })
  const failed = [{ revision: 'bad', fingerprint: 'f1' }]
  expect(rejections.isKept('workers', [{ revision: 'worse', fingerprint: 'f2' }])).toBe(true)
  expect(rejections.isKept('workers', failed)).toBe(false)
  await rejections.keep('workers', failed)
  expect(kube.requests).toEqual([`PATCH ${REVISIONS}/fleet-bad-0`, `PATCH ${REVISIONS}/fleet-worse-0`])
  expect(rejections.isKept('workers', failed)).toBe(true)
})

test('a note that the server refuses keeps no other from being written', async () => {
  const { kube, rejections } = someRejections({ bad: ['1', {}], worse: ['2', {}] })
  kube.failures.push({ on: `PATCH ${REVISIONS}/fleet-bad-0`, error: refusal(403, 'Forbidden') })
  const failed = [
    { revision: 'bad', fingerprint: 'f1' },
    { revision: 'worse', fingerprint: 'f2' },
  ]
  await expect(rejections.keep('workers', failed)).rejects.toMatchObject({ code: 403 })
  expect(rejections.of('workers')).toEqual([{ revision: 'worse', fingerprint: 'f2' }])
})

const noted = [{ revision: B, fingerprint: 'of b' }]
const head = { revision: B, fingerprint: 'of b' }
const ended = { revision: B, fingerprint: 'of b', startedAt: '2026-11-21T08:00:00Z', result: 'RolledBack' } as const
const retried = { action: 'Retry', at: '2026-11-21T08:00:00Z', outcome: 'Done', message: 'it is retried' } as const

test.each([
  ['there is none', undefined, noted],
  ['it knows another commit alone', { rejected: [], history: [{ ...ended, fingerprint: 'of a' }] }, noted],
  ['the commit is among those that failed', { rejected: noted, history: [] }, noted],
  [
    'the commit failed, and an operator had it tried again',
    { rejected: [], history: [ended], controls: [{ ...retried, value: B }] },
    [],
  ],
  ['somebody has removed the commit from those that failed', { rejected: [], history: [ended] }, noted],
  ['the commit is under way', { history: [{ ...ended, result: 'Running' as const }] }, noted],
  ['the commit was superseded', { history: [{ ...ended, result: 'Superseded' as const }] }, noted],
  ['the commit completed', { history: [{ ...ended, result: 'Completed' as const }] }, []],
  [
    'the commit is under way since an operator had it tried again',
    { controls: [{ ...retried, value: B }], history: [{ ...ended, result: 'Running' as const }] },
    [],
  ],
  [
    'the commit failed after it had completed',
    { history: [ended, { ...ended, result: 'Completed' as const, abandoned: true as const }] },
    noted,
  ],
  [
    'the commit came again after it had completed',
    {
      history: [
        { ...ended, result: 'Running' as const },
        { ...ended, result: 'Completed' as const },
      ],
    },
    [],
  ],
  ['an operator had the commit tried again while it was withheld', { controls: [{ ...retried, value: B }] }, []],
  ['a retry of the commit was refused', { controls: [{ ...retried, value: B, outcome: 'Refused' as const }] }, noted],
  ['an operator had another commit tried again', { controls: [{ ...retried, value: A }] }, noted],
])('what failed is known by its note and by the status when %s', (_, status, counted) => {
  expect(allRejections(status, { noted, head })).toEqual(counted)
})

test('a note of what failed does not count when an operator has a newer commit of the same content tried again', () => {
  const newer = { revision: A, fingerprint: 'of b' }
  expect(allRejections({ controls: [{ ...retried, value: A }] }, { noted, head: newer })).toEqual([])
})

test('what failed after all that the status knows comes first, and what failed before comes last, of ten', () => {
  const failed = (names: string) => [...names].map((name) => ({ revision: name, fingerprint: `of ${name}` }))
  const of = (rejected: string, ofNotes: string) =>
    allRejections({ rejected: failed(rejected) }, { noted: failed(ofNotes), head })
      .map(({ revision }) => revision)
      .join('')
  expect(of('hgf', 'kihge')).toBe('kihgfe')
  expect(of('9876543210', 'k98')).toBe('k987654321')
  expect(of('9876543210', '9x')).toBe('9876543210')
})
