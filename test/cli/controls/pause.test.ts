import { expect, test } from 'vitest'
import { aFleet } from '../../controller/a-fleet.ts'
import { aStage, assignedRevision, conditionOf, NODES, POOLS } from '../../controller/stage.ts'
import { A, aFleetWith, annotationsOf, B, FLEET_MAP } from './manual-stage.ts'

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

test('a pause of the fleet is written to its ConfigMap, and resume tells of pools that stay paused', async () => {
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

test.each([['pause'], ['resume']])(
  'a %s of the fleet is an error where the controller has another namespace',
  async (command) => {
    await using stage = await aStage()
    const { run } = await aFleetWith(stage)
    await stage.completed(A)

    expect(await run(command, '--all', '--namespace', 'nodewave-gates')).toEqual({
      stdout: '',
      stderr:
        'error: annotate ConfigMap "nodewave-fleet": failed to patch "/api/v1/namespaces/nodewave-gates/configmaps/nodewave-fleet": configmaps "nodewave-fleet" not found (404); name the namespace of the controller with --namespace; if it is this one, create it: kubectl -n nodewave-gates create configmap nodewave-fleet\n',
      code: 2,
    })
  },
)
