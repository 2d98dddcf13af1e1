import { expect, test } from 'vitest'
import { aStage, NODES, POOLS } from '../../controller/stage.ts'
import { A, aFleetWith } from './manual-stage.ts'

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

test('hold waits for no more nodes than the status of a pool shows', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  const more = Array.from({ length: 57 }, (_, index) => `m${10 + index}`)
  for (const name of more) await stage.kube.create(NODES, stage.aNode(name))
  await stage.completed(A)

  const { stdout } = await run('hold', ...more, '--reason', 'disk', '--wait', '--timeout', '20s')
  expect(stdout.split('\n').at(-2)).toBe('workers: excluded from rollouts')
})

test('hold does not wait for a node that the status does not show, since others are held that come first by name', async () => {
  await using stage = await aStage()
  const { run } = await aFleetWith(stage)
  const more = Array.from({ length: 51 }, (_, index) => `m${10 + index}`)
  for (const name of more) await stage.kube.create(NODES, stage.aNode(name))
  await stage.completed(A)
  await run('hold', ...more.slice(2), '--reason', 'memory', '--wait', '--timeout', '20s')

  const { stdout } = await run('hold', 'm10', 'n0', '--reason', 'disk', '--wait', '--timeout', '10s')
  expect(stdout.split('\n').at(-2)).toBe('workers: excluded from rollouts')
})
