import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePoolStatus } from '../../../src/controller/cache/node-pool-status.ts'
import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { aFleet } from '../../controller/a-fleet.ts'
import { aStage, conditionOf, NODES, POOLS, readyOf } from '../../controller/stage.ts'
import { aFolder, runCli } from '../run-cli.ts'
import { A, aFleetWith, NOW } from './manual-stage.ts'

const replacedIn = (found: ReadonlyMap<string, KubeObject>) =>
  parsePoolStatus(found.get('workers')?.status).history?.[0]?.laterFailures?.replaced

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
    stdout: 'pool "workers" is asked to retry aaaaaaa "change a"; see the result with: nodewave status workers (by anyone)\n',
    code: 0,
  })
  await stage.until(POOLS, (found) => {
    stage.clock.advance(1000)
    return readyOf(found.get('workers')) === 'True Completed'
  })
})
