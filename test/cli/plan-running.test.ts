import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assignedFacts } from '../../src/cli/plan/assigned-facts.ts'
import { assignedNodes, assignedNotes } from '../../src/cli/plan/assigned-nodes.ts'
import { type PlannedEnds, runningPool } from '../../src/cli/plan/running-pool.ts'
import { judgeFiles } from '../../src/cli/read-fleet.ts'
import type { PoolStatusView } from '../../src/cli/status/pool-view.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import type { NodePoolStatus } from '../../src/protocol/node-pool.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { planFleet } from '../../src/render/plan-fleet.ts'
import { poolFingerprint } from '../../src/render/pool-fingerprint.ts'
import type { FleetModel } from '../../src/repo/model.ts'
import type { GivenNode } from '../../src/simulate/given-node.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aSnapshot } from '../controller/a-snapshot.ts'
import { aStage, type Stage } from '../controller/stage.ts'
import { aFolder, commitAll, runCli, writeFiles } from './run-cli.ts'

const [A, B, C] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]

function modelOf(v: number): FleetModel {
  const { model } = judgeFiles(aSnapshot('a', aFleet({ v })).files)
  if (model === undefined) throw new Error('the fleet is invalid')
  return model
}

/** The same with a file that a Secret of the cluster has; of the pool, or of no pool. */
function sealedModel({ used }: { readonly used: boolean }): FleetModel {
  const profile = `
---
apiVersion: nodewave.io/v1alpha1
kind: HostProfile
metadata: {name: db}
spec: {files: [{path: /etc/db, mode: "0600", contentFrom: {secretRef: {name: db, key: password}}}]}
`
  const files = aFleet({ v: 3, more: `${used ? '  hostProfiles: [db]' : ''}${profile}` })
  const { model, problems } = judgeFiles(aSnapshot('a', files).files)
  if (model === undefined) throw new Error(problems.map(({ message }) => message).join())
  return model
}

/** Of the pool at a commit. */
function refTo(v: number, revision: string, subject: string) {
  return { revision, fingerprint: poolFingerprint(modelOf(v), 'workers'), subject }
}

const TWO = refTo(2, A, 'v 2')
const THREE = refTo(3, B, 'v 3')
const ENDS: PlannedEnds = { before: modelOf(2), model: modelOf(3), from: 'HEAD' }

function aPool(status: PoolStatusView['status'], controls: PoolStatusView['controls'] = {}): PoolStatusView {
  return { name: 'workers', controls, status: { target: TWO, stable: TWO, ...status } }
}

test('a pool that completed the commit that is planned from has nothing to note', () => {
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Completed', message: '', lastTransitionTime: '2026-11-21T08:00:00Z' },
  ] as const
  expect(runningPool('workers', { pool: aPool({ conditions }) }, ENDS)).toEqual({
    ...{ target: A, stable: A, reason: 'Completed' },
    text: 'aaaaaaaaaaaa v 2: Completed',
    notes: [],
  })
})

test('a pool that the cluster does not have yet runs no commit', () => {
  expect(runningPool('workers', {}, ENDS)).toEqual({ text: 'no commit yet', notes: [] })
  expect(runningPool('workers', { pool: { name: 'workers', status: {} } }, ENDS)).toEqual({ text: 'no commit yet', notes: [] })
})

test('a pool in the middle of a rollout says what it completed last', () => {
  const { text, notes } = runningPool('workers', { pool: aPool({ target: THREE }) }, ENDS)
  expect([text, notes]).toEqual([
    'bbbbbbbbbbbb v 3; stable: aaaaaaaaaaaa v 2',
    ['the pool has the planned content already, not that of HEAD'],
  ])
})

test('a pool with other content than both ends says what to compare with', () => {
  expect(runningPool('workers', { pool: aPool({}) }, { ...ENDS, before: modelOf(1) }).notes).toEqual([
    'the pool has other content than HEAD; compare with what it has: --from aaaaaaaaaaaa',
  ])
  expect(runningPool('workers', { pool: aPool({}) }, { ...ENDS, before: undefined, from: 'none' }).notes).toEqual([
    'the pool has other content than none; compare with what it has: --from aaaaaaaaaaaa',
  ])
})

test('content with secrets is not compared, since only the cluster can; secrets of other pools do not matter', () => {
  const notes = (used: boolean) => runningPool('workers', { pool: aPool({}) }, { ...ENDS, model: sealedModel({ used }) }).notes
  expect(notes(true)).toEqual(['content with secrets is not compared with what the pool runs'])
  expect(notes(false)).toEqual([])
  expect(runningPool('workers', { pool: aPool({}) }, { ...ENDS, before: sealedModel({ used: true }) }).notes).toEqual(notes(true))
})

test('content that failed in the pool needs a retry, whatever its commit is called', () => {
  expect(runningPool('workers', { pool: aPool({ rejected: [THREE] }) }, ENDS).notes).toEqual([
    'failed in this pool: bbbbbbbbbbbb v 3',
    'the planned content failed here as bbbbbbbbbbbb; the pool begins with it only after: nodewave retry workers',
  ])
})

test('a push of the content that a pool was rolled back from does not end the rollback', () => {
  const rollback = { to: TWO, from: THREE, who: 'ada', at: '2026-11-21T08:00:00Z' }
  expect(runningPool('workers', { pool: aPool({ rollback }) }, ENDS).notes).toEqual([
    'rolled back to aaaaaaa by ada at 2026-11-21T08:00:00Z; end it with: nodewave resume workers',
    'the pool was rolled back from the planned content, so a push does not end the rollback; end it: nodewave resume workers',
  ])
})

test('pauses and held nodes are noted, without control characters', () => {
  const held = [{ node: 'n2', reason: 'new\u001b disk' }]
  expect(runningPool('workers', { pool: aPool({ held }, { paused: 'rack 4' }) }, ENDS).notes).toEqual([
    'paused: rack 4',
    'held: n2 (new  disk)',
  ])
})

function aWorker(name: string, assignment?: GivenNode['assignment']): GivenNode {
  const facts = { name, labels: { role: 'worker' }, arch: 'amd64', osImage: '', ready: true, unschedulable: false }
  return { ...facts, ...(assignment && { assignment }) }
}

/** What a controller assigns at this commit. */
function digestOf(model: FleetModel): string {
  const rendered = createRenderer(model).render('workers', aWorker('n0'))
  if (!rendered.ok) throw new Error('the node is not rendered')
  return rendered.digest
}

test('nodes that are not assigned what the commit before the plan says are told by name', () => {
  const assigned = assignedNodes(modelOf(2))([
    aWorker('n0', { digest: digestOf(modelOf(2)) }),
    aWorker('n1', { digest: digestOf(modelOf(3)) }),
    aWorker('n2', 'None'),
    aWorker('n3', 'ByHand'),
    aWorker('n4'),
    { ...aWorker('n5', 'None'), labels: {} },
  ])
  expect(assigned).toEqual({ notAssigned: ['n2'], byHand: ['n3'], otherContent: ['n1'] })
  expect(assignedNotes(assigned, 'HEAD')).toEqual([
    'not assigned yet: n2',
    'assigned by hand: n3',
    'assigned other content than that of HEAD: n1',
  ])
  expect(assignedNotes({ notAssigned: [], byHand: [], otherContent: [] }, 'HEAD')).toEqual([])
})

/** Of 8 CPUs now, and of 4 when it was assigned. */
const resized = (model: FleetModel) => ({
  cpu: 8,
  renderedFrom: { fingerprint: poolFingerprint(model, 'workers'), cpu: 4 },
})

function byCpu(more = ''): FleetModel {
  const text = aFleet({ more })['fleet.yaml']?.replace('v: 2', 'max-pods: "{{ node.cpu * 10 }}"') ?? ''
  const { model } = judgeFiles(aSnapshot('a', { 'fleet.yaml': text }).files)
  if (model === undefined) throw new Error('the fleet is invalid')
  return model
}

const OVERRIDE = `
---
apiVersion: nodewave.io/v1alpha1
kind: NodeOverride
metadata: {name: n1}
spec: {node: n1, flags: {v: 4}}
`

test('a resized node has what it is assigned, though it would get other numbers now', () => {
  const rendered = createRenderer(byCpu()).render('workers', { ...aWorker('n0'), cpu: 4 })
  const assignment = { digest: rendered.ok ? rendered.digest : '' }
  const node = { ...aWorker('n0', assignment), ...resized(byCpu()) }
  expect(assignedNodes(byCpu())([node]).otherContent).toEqual([])
})

test('a plan shows that a resized node gets new numbers with a change of its pool, and not without one', () => {
  const nodes = [{ ...aWorker('n0'), ...resized(byCpu()) }]
  const touched = (to: FleetModel) =>
    planFleet({ from: byCpu(), to, nodes, factsAt: assignedFacts(nodes) }).pools.flatMap((pool) => pool.touched)
  expect(touched(byCpu())).toEqual([])
  expect(touched(byCpu(OVERRIDE))).toEqual(['n0'])
})

test('content with a secret is not compared with what a node is assigned', () => {
  const worker = aWorker('n0', { digest: digestOf(modelOf(2)) })
  expect(assignedNodes(sealedModel({ used: true }))([worker]).otherContent).toEqual([])
  expect(assignedNodes(sealedModel({ used: false }))([worker]).otherContent).toEqual(['n0'])
})

async function aPlannedFleet(stage: Stage) {
  const folder = await aFolder({ ...aFleet(), kubeconfig: stage.server.kubeconfig() })
  await commitAll(folder)
  await writeFiles(folder, aFleet({ v: 3 }))
  const run = (...args: string[]) => runCli(folder, [...args, '--kubeconfig', join(folder, 'kubeconfig')])
  return { run }
}

test('plan with a cluster says what its pools run, and what a push meets there', async () => {
  await using stage = await aStage()
  const { run } = await aPlannedFleet(stage)
  await stage.addNodes(2)
  const stop = stage.startController()
  stage.startAgents()
  stage.push('a', aFleet())
  await stage.completed(A)
  await run('pause', 'workers', '--reason', 'rack 4', '--wait')

  const { stdout, code } = await run('plan')
  expect(code).toBe(1)
  expect(stdout).toContain(`workers  2 of 2 nodes change, the kubelet restarts
  runs    aaaaaaaaaaaa change a: Completed
  note    paused by anyone at 2026-11-21T22:00:00.000Z: rack 4
  flags.v  2 → 3
`)
  expect(stdout).not.toContain('compared:')
  expect((await run('plan', '-o', 'markdown')).stdout).toContain(
    '\n\nRuns: aaaaaaaaaaaa change a: Completed\n\n> paused by anyone at ',
  )
  expect((await run('plan', '--to', 'HEAD', '-o', 'markdown')).stdout).toContain('no change for 2 nodes\n\nRuns: ')
  expect(JSON.parse((await run('plan', '-o', 'json')).stdout).pools[0].runs).toMatchObject({
    ...{ target: A, stable: A },
    assigned: { notAssigned: [], byHand: [], otherContent: [] },
  })
  await stop()
  await stage.kube.create('/api/v1/nodes', stage.aNode('n2'))
  expect((await run('plan')).stdout).toContain('\n  note    not assigned yet: n2\n')
  expect((await run('plan', '--annotation-prefix', 'example.com')).stdout).toContain('not assigned yet: n0, n1, n2\n')
})

test('plan says that planned content failed, and a push of it under another commit begins nothing', async () => {
  await using stage = await aStage()
  const { run } = await aPlannedFleet(stage)
  await stage.addNodes(2)
  stage.startController()
  stage.startAgents((_, { REVISION }) => (REVISION === A ? 'applies' : 'rolls back'))
  stage.push('a', aFleet())
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.until(POOLS, (found) => statusIn(found).rejected?.[0]?.revision === B)

  const failed = 'the planned content failed here as bbbbbbbbbbbb; the pool begins with it only after: nodewave retry workers'
  expect((await run('plan')).stdout).toContain(`\n  note    ${failed}\n`)
  stage.push('c', aFleet({ v: 3 }))
  const pools = await stage.until(POOLS, (found) => {
    const { observedRevision, conditions } = statusIn(found)
    return (
      observedRevision === C && conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'RolledBack') === true
    )
  })
  expect(statusIn(pools).target?.revision).toBe(A)
})

const POOLS = '/apis/nodewave.io/v1alpha1/nodepools'

function statusIn(pools: ReadonlyMap<string, KubeObject>): Partial<NodePoolStatus> {
  return (pools.get('workers')?.status ?? {}) as Partial<NodePoolStatus>
}

test('plan with a cluster without NodePools says that only commits were compared', async () => {
  await using stage = await aStage()
  const { run } = await aPlannedFleet(stage)
  await stage.addNodes(1)
  await stage.kube.delete('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.nodewave.io')

  expect((await run('plan')).stdout).toContain(
    'compared: HEAD → working tree; the cluster has no NodePools, or does not allow to read them\n',
  )
})
