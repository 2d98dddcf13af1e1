import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aFleet } from '../../controller/a-fleet.ts'
import { aStage, conditionOf, NODES, POOLS, readyOf } from '../../controller/stage.ts'
import { aFolder, runCli } from '../run-cli.ts'
import { A, aFleetWith, B, rolledBack } from './manual-stage.ts'

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
    stdout: 'pool "workers" is asked to retry fffffff "change f"; see the result with: nodewave status workers (by anyone)\n',
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
