import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePoolStatus } from '../../src/controller/cache/node-pool-status.ts'
import type { KubeObject } from '../../src/kube/kube-api.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS, readyOf, type Stage } from '../controller/stage.ts'
import { aFolder, type Outcome, runCli } from './run-cli.ts'

const [A, B] = ['a', 'b'].map((digit) => digit.repeat(40))
const NOW = Date.UTC(2026, 10, 21, 9)
const FLEET_MAP = '/api/v1/namespaces/nodewave-system/configmaps/nodewave-fleet'

interface ManualStage {
  readonly stage: Stage
  readonly endController: () => Promise<void>
  readonly run: (...args: string[]) => Promise<Outcome>
}

/** A fleet of three nodes with a controller and agents, and a person with a kubeconfig. */
async function aFleetWith(stage: Stage, rollout?: string): Promise<ManualStage> {
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(3)
  const endController = stage.startController()
  stage.startAgents((node, { REVISION }) => (REVISION === 'f'.repeat(40) || node === 'broken' ? 'rolls back' : 'applies'))
  stage.push('a', aFleet(rollout === undefined ? {} : { rollout }))
  let seconds = 0
  return {
    stage,
    endController,
    run: (...args) =>
      runCli(folder, [...args, '--kubeconfig', join(folder, 'kubeconfig')], { now: () => NOW + 1000 * seconds++ }),
  }
}

/** And at rest: what a person writes in the middle of a pass makes the controller wait a moment, and no time passes by itself here. */
function rolledBack(stage: Stage) {
  return stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    const [stalled, reconciling] = ['Stalled', 'Reconciling'].map((type) => conditionOf(found.get('workers'), type))
    return stalled?.reason === 'RolledBack' && reconciling?.status === 'False'
  })
}

const replacedIn = (found: ReadonlyMap<string, KubeObject>) =>
  parsePoolStatus(found.get('workers')?.status).history?.[0]?.laterFailures?.replaced

const annotationsOf = async (stage: Stage, path: string) =>
  (await stage.kube.get<{ metadata: { annotations?: Record<string, string> } }>(path)).metadata.annotations ?? {}

test('pause holds a pool with reason, name and date, and resume lets it go on', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  const paused = await run('pause', 'workers', '--reason', 'new firmware', '--wait')

  expect(paused).toEqual({
    stdout:
      'pool "workers" is paused: no new node starts, nodes that have started finish; new firmware (by anyone)\nworkers: no node is changing\n',
    stderr: '',
    code: 0,
  })
  expect(await annotationsOf(stage, `${POOLS}/workers`)).toMatchObject({
    'nodewave.io/paused': 'new firmware',
    'nodewave.io/paused-by': 'anyone 2026-11-21T09:00:00.000Z',
  })
  stage.push('b', aFleet({ v: 3 }))
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'Paused')
  expect((await run('resume', 'workers', '--wait', '--as-name', 'bob')).stdout).toBe(
    'pool "workers" is resumed (by bob)\nworkers: the pool is resumed\n',
  )
  await stage.until(NODES, (found) => [...found.values()].every((node) => assignedRevision(node) === B))
})

test('pausing what is paused already writes nothing', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  await run('pause', 'workers')
  const before = await annotationsOf(stage, `${POOLS}/workers`)

  expect(await run('pause', 'workers')).toMatchObject({ stdout: 'pool "workers" is already paused\n', code: 0 })
  expect(await annotationsOf(stage, `${POOLS}/workers`)).toEqual(before)
})

test.each([
  ['a pool', 'pool "workers" is already paused', 'workers'],
  ['the fleet', 'the fleet is already paused', '--all'],
])('pause of %s that is paused already waits for the nodes that have started', async (_, says, whose) => {
  await using stage = await aStage()
  const { run, endController } = await aFleetWith(stage)
  await stage.completed(A)
  await run('pause', whose, '--wait')
  await endController()
  const { status } = await stage.kube.get<{ status: { nodes: object } }>(`${POOLS}/workers`)
  const nodes = { ...status.nodes, byPhase: { Applying: 1, Current: 2 } }
  await stage.kube.patch(`${POOLS}/workers/status`, { status: { nodes } })

  expect(await run('pause', whose, '--wait', '--timeout', '1s')).toMatchObject({
    stdout: expect.stringMatching(new RegExp(`^${says}\nworkers: not yet; `)),
    code: 1,
  })
  await stage.kube.patch(`${POOLS}/workers/status`, { status: { nodes: { byPhase: { Applying: null } } } })
  expect(await run('pause', whose, '--wait')).toMatchObject({ stdout: `${says}\nworkers: no node is changing\n`, code: 0 })
})

test('a second pause keeps what the first one said, but for what it says itself', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  await run('pause', 'workers', '--reason', 'new firmware', '--stop-drains')

  expect((await run('pause', 'workers')).stdout).toBe('pool "workers" is already paused\n')
  expect((await run('pause', 'workers', '--reason', 'rack 4 burns')).stdout).toBe(
    'pool "workers" is paused: no new node starts, nodes that have started finish, drains under way are stopped; rack 4 burns (by anyone)\n',
  )
  expect(await annotationsOf(stage, `${POOLS}/workers`)).toMatchObject({
    'nodewave.io/paused': 'rack 4 burns',
    'nodewave.io/stop-drains': 'true',
  })
})

test('a pause of the fleet makes its ConfigMap where there is none, and resume tells of pools that stay paused', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  expect((await run('pause', '--all', '--reason', 'cooling', '--wait')).code).toBe(0)
  expect(await annotationsOf(stage, FLEET_MAP)).toMatchObject({ 'nodewave.io/paused': 'cooling' })
  await run('pause', 'workers')
  expect((await run('resume', 'workers')).stdout).toBe(
    'pool "workers" is resumed; the fleet is still paused: nodewave resume --all (by anyone)\n',
  )
  await run('pause', 'workers')
  expect((await run('resume', '--all', '--wait')).stdout).toBe(
    'the fleet is resumed; pools with a pause of their own: workers (by anyone)\nworkers: the fleet is resumed\n',
  )
  expect((await annotationsOf(stage, FLEET_MAP))['nodewave.io/paused']).toBeUndefined()
})

test('a pool that there is not is an error with what was meant, and nothing is written', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  expect(await run('pause', 'worker')).toEqual({
    stdout: '',
    stderr: 'error: unknown pool "worker"; did you mean "workers"?\n',
    code: 2,
  })
  expect(await run('pause')).toMatchObject({ stderr: 'error: missing argument: name a pool, or use --all\n', code: 2 })
  expect(await run('pause', 'workers', '--all')).toMatchObject({ code: 2 })
})

test('promote opens the wave that waits for a person, and refuses when none does', async () => {
  await using stage = await aStage()
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%, manual: true}], maxUnavailable: 100%'
  const { run } = await aFleetWith(stage, rollout)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False WaitingForPromotion')

  expect((await run('promote', 'workers', '--revision', 'bbbbbbb')).stderr).toBe(
    'error: pool "workers" waits for the promotion of aaaaaaaaaaaa, not of "bbbbbbb"\n',
  )
  expect((await run('promote', 'workers', '--wait')).stdout).toBe(
    'pool "workers" is promoted: aaaaaaa continues after wave 1 of 2, "canary" (by anyone)\nworkers: aaaaaaa is approved\n',
  )
  await stage.completed(A)
  expect(await run('promote', 'workers')).toMatchObject({
    stderr: 'error: nothing in pool "workers" waits for promotion; check with: nodewave status\n',
    code: 2,
  })
})

test.each([
  ['promote', 'promote', { Stalled: 'WaitingForPromotion' }, A],
  ['retry', 'retry', { Stalled: 'Halted' }, A],
  ['rollback', 'rollback', { Stalled: 'Halted' }, B],
])(
  '%s is refused to a second operator while the same request of the first stands there',
  async (verb, word, { Stalled }, value) => {
    await using stage = await aStage()
    const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
    const [atA, atB] = [
      { revision: A, fingerprint: 'v1:a' },
      { revision: B, fingerprint: 'v1:b' },
    ]
    const conditions = [
      { type: 'Stalled', status: 'True', reason: Stalled, message: '', lastTransitionTime: '2026-11-21T08:00:00Z' },
    ]
    const history = [{ ...atB, startedAt: '2026-11-21T08:00:00Z', result: 'Completed' }]
    const annotations = { [`nodewave.io/${word}`]: value, [`nodewave.io/${word}-by`]: 'ada 2026-11-21T09:00:00Z' }
    await stage.kube.create(POOLS, {
      ...{ apiVersion: 'nodewave.io/v1alpha1', kind: 'NodePool', metadata: { name: 'workers', annotations } },
      spec: { nodeSelector: { matchLabels: { role: 'worker' } } },
    })
    const lists = { rollbackTo: [atB], held: [], controls: [], rejected: [atA], failed: [] }
    const nodes = { total: 1, current: 0, byPhase: {} }
    await stage.kube.patch(`${POOLS}/workers/status`, { status: { target: atA, history, conditions, nodes, ...lists } })

    expect(await runCli(folder, [verb, 'workers', '--kubeconfig', join(folder, 'kubeconfig')])).toEqual({
      stdout: '',
      stderr: `error: pool "workers" was asked the same by ada at 2026-11-21T09:00:00Z; see what came of it with: nodewave status workers; if the request stays, remove it before you ask again: kubectl annotate nwp/workers nodewave.io/${word}-\n`,
      code: 2,
    })
  },
)

/** A third commit exceeds the blast radius of the second. */
async function needsPromotion(stage: Stage) {
  const fleet = 'blastRadius: {maxNodes: 1}'
  await stage.completed(A)
  stage.push('b', aFleet({ fleet }))
  await stage.completed(B)
  stage.push('c', aFleet({ v: 3, fleet }))
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'CommitNeedsPromotion')
}

test('promote of the fleet waits until every pool has accepted the commit', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await needsPromotion(stage)

  expect(await run('promote', '--all', '--wait')).toMatchObject({
    stdout: 'the fleet is promoted: ccccccc continues (by anyone)\nworkers: ccccccc is accepted\n',
    code: 0,
  })
})

test('promote of the fleet waits for no pool that the commit removes', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push(
    'b',
    Object.fromEntries(Object.entries(aFleet()).map(([file, text]) => [file, text.replace('name: workers', 'name: machines')])),
  )
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'CommitNeedsPromotion')

  expect(await run('promote', '--all', '--wait', '--timeout', '20s')).toMatchObject({
    stdout: expect.stringContaining('\nworkers: the pool is gone\n'),
    code: 0,
  })
})

test('waiting for the promotion of the fleet ends with 1 when no controller answers', async () => {
  await using stage = await aStage()
  const { run, endController } = await aFleetWith(stage)
  await needsPromotion(stage)
  await endController()

  expect(await run('promote', '--all', '--wait', '--timeout', '1s')).toMatchObject({
    stdout: expect.stringContaining('\nworkers: not yet; check that a controller runs, and check with: nodewave status\n'),
    code: 1,
  })
})

test('retry tries again what failed, and waits for how it ends', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  expect((await run('retry', 'workers')).stderr).toBe(
    'error: nothing in pool "workers" can be retried: neither its newest commit nor a node at it failed; check with: nodewave status\n',
  )
  stage.push('f', aFleet({ v: 9 }))
  await rolledBack(stage)

  const retried = await run('retry', 'workers', '--wait')

  expect(retried.code).toBe(1)
  expect(retried.stdout).toContain(
    'pool "workers" is asked to retry fffffff "change f" (by anyone)\nworkers: fffffff RolledBack on "n',
  )
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)
  expect((await run('retry', 'workers')).stderr).toBe(
    'error: nothing in pool "workers" can be retried: neither its newest commit nor a node at it failed; check with: nodewave status\n',
  )
})

test('retry tries again the accepted commit that failed when a newer commit is invalid', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('f', aFleet({ v: 9 }))
  await rolledBack(stage)
  stage.push('b', aFleet({ more: '  nonsense: true\n' }))
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'InvalidRepository')

  expect(await run('retry', 'workers')).toMatchObject({
    code: 0,
    stdout:
      'pool "workers" is asked to retry fffffff "change f"; see what comes of it with: nodewave status workers (by anyone)\n',
  })
})

test('retry names the command for a reboot when a reboot is all that failed', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  const run = { revision: A, fingerprint: 'v1:a', startedAt: '2026-11-21T08:00:00Z', result: 'Completed' }
  const status = {
    target: { revision: A, fingerprint: 'v1:a' },
    failed: [{ node: 'n0', reason: 'RebootRefused', message: 'inhibited by apt' }],
    reboots: [{ node: 'n0', state: 'Failed', because: 'new firmware' }],
    history: [run],
    nodes: { total: 1, current: 0, byPhase: { Failed: 1 } },
    ...{ rejected: [], rollbackTo: [], held: [], controls: [], conditions: [] },
  }
  await stage.kube.create(POOLS, {
    ...{ apiVersion: 'nodewave.io/v1alpha1', kind: 'NodePool', metadata: { name: 'workers' } },
    spec: { nodeSelector: { matchLabels: { role: 'worker' } } },
  })
  await stage.kube.patch(`${POOLS}/workers/status`, { status })

  expect(await runCli(folder, ['retry', 'workers', '--kubeconfig', join(folder, 'kubeconfig')])).toEqual({
    stdout: '',
    stderr: 'error: nothing in pool "workers" can be retried: only reboots failed; reboot again: nodewave reboot n0\n',
    code: 2,
  })
})

test('retry is refused in a pool that an operator rolled back, where it would begin nothing', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)
  stage.push('f', aFleet({ v: 9, rollout: 'onFailure: Halt' }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False Halted')
  expect((await run('rollback', 'workers', '--wait')).stdout).toContain('workers: bbbbbbb Completed')

  expect(await run('retry', 'workers', '--wait')).toEqual({
    stdout: '',
    stderr:
      'error: cannot retry in pool "workers": it is rolled back to bbbbbbb "change b"; first end that with: nodewave resume workers\n',
    code: 2,
  })
  const { stdout } = await run('status', 'workers')
  expect(stdout).toContain('; to try it again: nodewave resume workers (or kubectl')
  expect(stdout).toContain('CONDITIONS\n  Stalled RolledBack: see above\n')
})

test('promote of a paused pool says that no node starts before the pause ends, and how to end it', async () => {
  await using stage = await aStage()
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%, manual: true}], maxUnavailable: 100%'
  const { run } = await aFleetWith(stage, rollout)
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False WaitingForPromotion')
  await run('pause', 'workers', '--wait')
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False Paused')

  expect((await run('promote', 'workers')).stdout).toBe(
    'pool "workers" is promoted: aaaaaaa continues after wave 1 of 2, "canary"; the pool is paused, no node starts before: nodewave resume workers (by anyone)\n',
  )
  await run('resume', 'workers')
  await stage.completed(A)
})

test('retry tries again a commit that renders the same as one that failed, by the name that the pool says', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('f', aFleet({ v: 9 }))
  await rolledBack(stage)
  stage.push('e', aFleet({ v: 9 }))
  await stage.until(POOLS, (found) =>
    String(conditionOf(found.get('workers'), 'Stalled')?.message).includes(
      'nodewave retry workers --revision eeeeeeeeeeee (or kubectl annotate --overwrite nwp/workers nodewave.io/retry=eeeeeeeeeeee)',
    ),
  )

  expect((await run('retry', 'workers', '--revision', 'eeeeeeeeeeee', '--wait')).stdout).toBe(
    'pool "workers" is asked to retry eeeeeee (by anyone)\nworkers: eeeeeee Completed\n',
  )
})

test('retry has a node try the commit again to which its pool has gone back, by the command that the pool says', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('f', aFleet({ v: 9 }))
  await rolledBack(stage)
  await stage.kube.create(NODES, stage.aNode('broken'))
  const failed = await stage.until(POOLS, (found) => {
    return conditionOf(found.get('workers'), 'Stalled')?.message?.includes('; also: "broken"') === true
  })
  const [, command = ''] = /, then: nodewave (.*?) \(or/.exec(conditionOf(failed.get('workers'), 'Stalled')?.message ?? '') ?? []

  expect((await run(...command.split(' '))).stdout).toMatch(/^pool "workers" is asked to retry aaaaaaa "change a"; see /)
})

test('retry forgets a machine that failed after the commit had completed, and was replaced', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  await stage.kube.create(NODES, stage.aNode('broken'))
  await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'NodesFailed')
  await stage.kube.delete(`${NODES}/broken`)
  await stage.until(POOLS, (found) => replacedIn(found) === 1)

  expect((await run('retry', 'workers', '--wait')).stdout).toBe(
    'pool "workers" is asked to retry aaaaaaa "change a" (by anyone)\nworkers: aaaaaaa Completed\n',
  )
  await stage.until(POOLS, (found) => replacedIn(found) === undefined)
})

test('retry has a node try a completed commit once more that failed within the limit of its pool', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(3)
  stage.startController()
  let isRepaired = false
  stage.startAgents((node) => (node === 'n0' && !isRepaired ? 'rolls back' : 'applies'))
  stage.push('a', aFleet({ rollout: 'maxFailures: 1' }))
  await stage.completed(A)
  const failed = await stage.until(POOLS, (found) => conditionOf(found.get('workers'), 'Stalled')?.reason === 'NodesFailed')
  const [, command = ''] = /then: nodewave (.*) \(or/.exec(conditionOf(failed.get('workers'), 'Stalled')?.message ?? '') ?? []

  isRepaired = true
  const retried = await runCli(folder, [...command.split(' '), '--kubeconfig', join(folder, 'kubeconfig')], { now: () => NOW })

  expect(retried).toMatchObject({
    stdout:
      'pool "workers" is asked to retry aaaaaaa "change a"; see what comes of it with: nodewave status workers (by anyone)\n',
    code: 0,
  })
  await stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    return readyOf(found.get('workers')) === 'True Completed'
  })
})

test('rollback goes back to what completed before, and refuses what it cannot reach', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  expect((await run('rollback', 'workers')).stderr).toBe(
    'error: cannot roll back pool "workers": no other commit that completed there is kept\n',
  )
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)

  expect((await run('rollback', 'workers', '--to', 'ccccccc')).stderr).toBe(
    'error: cannot roll back pool "workers": unknown commit "ccccccc": it is not one of the choices; choices:\n  aaaaaaa "change a"\n',
  )
  const back = await run('rollback', 'workers', '--wait', '-o', 'json')
  expect(JSON.parse(back.stdout)).toMatchObject({
    who: 'anyone',
    written: [{ on: { kind: 'NodePool', name: 'workers' }, annotation: 'nodewave.io/rollback', value: A }],
    outcome: { ok: true, messages: ['workers: aaaaaaa Completed'] },
  })
  expect((await run('resume', 'workers', '--wait')).stdout).toContain('pool "workers" follows the repository again')
  await stage.completed(B)
})

test('resume says that a rolled back pool stays where it is when its newest commit failed there', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)
  stage.push('f', aFleet({ v: 9 }))
  await rolledBack(stage)
  await run('rollback', 'workers', '--to', 'aaaaaaa', '--wait')

  const again =
    'follows the repository again; its newest commit fffffff failed here, so the pool stays where it is; push a fix, or run: nodewave retry workers'
  expect((await run('resume', 'workers', '--wait')).stdout).toBe(
    `pool "workers" ${again} (by anyone)\nworkers: the pool ${again}\n`,
  )
})

test('rollback of a paused pool says that no node starts, and a second operator does not send the pool back twice', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)
  await run('pause', 'workers')

  expect((await run('rollback', 'workers')).stdout).toBe(
    'pool "workers" rolls back to aaaaaaa "change a": it completed that commit before, so without canary and soak; ' +
      'it stays there until a commit changes the content of this pool; the pool is paused, no node starts before: nodewave resume workers (by anyone)\n',
  )
  await stage.until(POOLS, (found) => parsePoolStatus(found.get('workers')?.status).rollback !== undefined)
  expect(await run('rollback', 'workers', '--as-name', 'bob')).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(
      /^error: cannot roll back pool "workers" further: it was rolled back to aaaaaaa "change a" by anyone at 2026-11-21T09:.*; to go elsewhere, name a commit with --to\n$/,
    ),
    code: 2,
  })
})

test('hold leaves nodes out and release takes them back, each recorded with who', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  expect((await run('hold', 'n0', 'n9', '--reason', 'disk')).stderr).toBe('error: unknown node "n9"; did you mean "n0"?\n')
  expect((await run('hold', 'n0', 'n1', '--reason', 'disk', '--wait')).stdout).toBe(
    '2 nodes held: n0, n1; disk (by anyone)\nworkers: excluded from rollouts\n',
  )
  expect((await run('release', 'n0', 'n1', 'n2', '--wait')).stdout).toBe(
    '2 nodes released: n0, n1 (by anyone)\nworkers: included in rollouts again\n',
  )
  const { status } = await stage.kube.get<{ status: { controls: object[]; held: object[] } }>(`${POOLS}/workers`)
  expect(status).toMatchObject({
    held: [],
    controls: [
      { action: 'Release', nodes: ['n0', 'n1'], who: 'anyone' },
      { action: 'Hold', nodes: ['n0', 'n1'], value: 'disk', who: 'anyone' },
    ],
  })
})

test('reboot reboots nodes with the content that they have, and is recorded with who asked', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  const before = (await stage.kube.get<KubeObject>(`${NODES}/n1`)).metadata.annotations?.['nodewave.io/desired-config']
  expect((await run('reboot', 'n9')).stderr).toBe('error: unknown node "n9"; did you mean "n0"?\n')

  expect((await run('reboot', 'n1', '--reason', 'firmware')).stdout).toBe('1 node to be rebooted: n1; firmware (by anyone)\n')
  const nodes = await stage.until(NODES, (found) => {
    stage.clock.advance(1000)
    const node = found.get('n1')
    return bootOf(node) !== 'boot-of-n1' && node?.metadata.annotations?.['nodewave.io/reboot'] === undefined && !isCordoned(node)
  })
  const assigned = JSON.parse(nodes.get('n1')?.metadata.annotations?.['nodewave.io/desired-config'] ?? '')
  expect(assigned).toMatchObject({ DIGEST: JSON.parse(before ?? '').DIGEST, GRANT: 'reboot' })
  expect(assigned.REBOOT).toMatch(/^boot-of-n1@2026-11-21T09:00:/)
  expect([...nodes.values()].map(bootOf)).toEqual(['boot-of-n0', 'after-boot-of-n1', 'boot-of-n2'])
  const { status } = await stage.kube.get<{ status: { controls: object[] } }>(`${POOLS}/workers`)
  expect(status.controls).toMatchObject([{ action: 'Reboot', nodes: ['n1'], value: 'firmware', who: 'anyone' }])
})

test('reboot of a pool writes a request on each node, and takes it back', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  await run('pause', 'workers')

  expect((await run('reboot', 'workers')).stdout).toBe('3 nodes to be rebooted: n0, n1, n2 (by anyone)\n')
  await stage.until(POOLS, (found) => {
    const { reboots = [] } = (found.get('workers')?.status ?? {}) as { reboots?: { state: string }[] }
    return reboots.length === 3 && reboots.every(({ state }) => state === 'Waiting')
  })
  expect((await run('status')).stdout).toContain('to reboot: n0 (Waiting), n1 (Waiting), n2 (Waiting)')
  expect((await run('reboot', 'workers', '--cancel')).stdout).toBe(
    'requests taken back: n0, n1, n2; nodes that have begun finish (by anyone)\n',
  )
  const { items } = await stage.kube.list(NODES, { project: ({ metadata }) => metadata.annotations ?? {} })
  expect(items.every((annotations) => annotations['nodewave.io/reboot'] === undefined)).toBe(true)
})

function bootOf(node: KubeObject | undefined): string | undefined {
  return (node?.status as { nodeInfo?: { bootID?: string } } | undefined)?.nodeInfo?.bootID
}

function isCordoned(node: KubeObject | undefined): boolean {
  return (node?.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true
}

test('reconcile asks every pool for a look at the repository', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)

  expect((await run('reconcile', '--wait')).stdout).toBe(
    'the controller fetches the repository (by anyone)\nworkers: the repository is fetched\n',
  )
})

test('waiting ends with 1 when no controller answers', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.kube.create(POOLS, {
    apiVersion: 'nodewave.io/v1alpha1',
    kind: 'NodePool',
    metadata: { name: 'workers' },
    spec: { nodeSelector: { matchLabels: { role: 'worker' } } },
  })
  const args = ['pause', 'workers', '--wait', '--timeout', '1s', '--kubeconfig', join(folder, 'kubeconfig')]

  expect(await runCli(folder, args)).toMatchObject({
    stdout: expect.stringContaining('workers: not yet; check that a controller runs, and check with: nodewave status\n'),
    code: 1,
  })
})

test('a context of the kubeconfig can be named, and one that there is not is told of', async () => {
  await using stage = await aStage()
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })

  const outcome = await runCli(folder, ['pause', 'workers', '--kubeconfig', 'kubeconfig', '--context', 'other'])

  expect(outcome.stderr).toBe(`error: failed to find context "other" in "${join(folder, 'kubeconfig')}": it has "simulated"\n`)
})

test('a server that does not say who asks has the person say it', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.server.faults.failNext({ verb: 'create', resource: 'selfsubjectreviews.authentication.k8s.io', code: 403 })

  expect((await run('pause', 'workers')).stderr).toContain('name yourself with --as-name NAME')
})
