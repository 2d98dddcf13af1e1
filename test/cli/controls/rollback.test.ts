import { expect, test } from 'vitest'
import { parsePoolStatus } from '../../../src/controller/cache/node-pool-status.ts'
import { aFleet } from '../../controller/a-fleet.ts'
import { aStage, POOLS } from '../../controller/stage.ts'
import { A, aFleetWith, B, rolledBack } from './manual-stage.ts'

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

test('rollback --to a commit goes to a later one with the same content', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  for (const [name, v] of [
    ['b', 3],
    ['c', 2],
    ['d', 4],
  ] as const) {
    stage.push(name, aFleet({ v }))
    await stage.completed(name.repeat(40))
  }

  const back = await run('rollback', 'workers', '--to', 'aaaaaaa', '--wait', '-o', 'json')

  expect(JSON.parse(back.stdout)).toMatchObject({
    written: [{ on: { kind: 'NodePool', name: 'workers' }, annotation: 'nodewave.io/rollback', value: 'c'.repeat(40) }],
    outcome: { ok: true, messages: ['workers: ccccccc Completed'] },
  })
})

test('rollback --to a commit that nodes have, and that the status has lost, writes it', async () => {
  await using stage = await aStage()
  const { run, endController } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)
  await endController()
  await stage.kube.patch(`${POOLS}/workers/status`, { status: { target: null, stable: null, history: [], rollbackTo: [] } })

  expect(await run('rollback', 'workers', '--to', 'bbbbbbb')).toMatchObject({
    stderr: '',
    stdout:
      'pool "workers" rolls back to bbbbbbb: it assigned that commit to a node, and knows no more of it, so wave by wave; it stays there until a commit changes the content of this pool (by anyone)\n',
  })
  expect((await run('rollback', 'workers', '--to', 'aaaaaaa')).stderr).toBe(
    'error: cannot roll back pool "workers": unknown commit "aaaaaaa": it is not one of the choices; there are no choices\n',
  )
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

test('rollback without a commit does not send a pool back further that went back from a failed commit by itself', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  await stage.completed(A)
  stage.push('b', aFleet({ v: 3 }))
  await stage.completed(B)
  stage.push('f', aFleet({ v: 9 }))
  await rolledBack(stage)

  expect(await run('rollback', 'workers')).toMatchObject({
    stdout: '',
    stderr:
      'error: cannot roll back pool "workers" further: fffffff "change f" failed, and the pool went back to bbbbbbb "change b" by itself; ' +
      'choose one with --to:\n  aaaaaaa "change a"\n',
    code: 2,
  })
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
