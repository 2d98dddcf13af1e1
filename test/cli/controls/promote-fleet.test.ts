import { expect, test } from 'vitest'
import { aFleet } from '../../controller/a-fleet.ts'
import { aStage, conditionOf, POOLS, type Stage } from '../../controller/stage.ts'
import { A, aFleetWith, B } from './manual-stage.ts'

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
