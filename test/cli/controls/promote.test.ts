import { expect, test } from 'vitest'
import type { PoolCondition } from '../../../src/protocol/node-pool.ts'
import { aStage, conditionOf, POOLS, readyOf } from '../../controller/stage.ts'
import { A, aFleetWith } from './manual-stage.ts'

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

test('promote of a pool whose fleet is stopped says so', async () => {
  await using stage = await aStage()
  const rollout = 'waves: [{name: canary, nodes: 1, soak: 0s}, {name: rest, nodes: 100%, manual: true}], maxUnavailable: 100%'
  const { run, endController } = await aFleetWith(stage, rollout)
  const pools = await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'False WaitingForPromotion')
  await endController()
  const reconciling = conditionOf(pools.get('workers'), 'Reconciling') as PoolCondition
  const stalled = { ...reconciling, type: 'Stalled', reason: 'FleetStopped', message: '3 failures of nodes in the fleet' }
  await stage.kube.patch(`${POOLS}/workers/status`, { status: { conditions: [reconciling, stalled] } })

  expect((await run('promote', 'workers')).stdout).toBe(
    'pool "workers" is promoted: aaaaaaa continues after wave 1 of 2, "canary"; the pool is Stalled (FleetStopped), and goes on when that is over: nodewave status workers (by anyone)\n',
  )
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
