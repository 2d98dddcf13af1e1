import { expect, test } from 'vitest'
import { HostTurns, Superseded } from '../../../src/agent/loop/host-turns.ts'

test('work that is not wanted any more when its turn comes does nothing', async () => {
  const turns = new HostTurns()
  const stop = new AbortController()
  const done: string[] = []
  const before = turns.exclusively(async () => {
    await new Promise(setImmediate)
    stop.abort()
  })
  const work = turns.prepare(
    stop.signal,
    async () => {},
    async () => done.push('used'),
  )

  await expect(work).rejects.toThrow(Superseded)
  await before
  expect(done).toEqual([])
  expect(turns.isPreparing).toBe(false)
})
