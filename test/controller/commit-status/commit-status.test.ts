import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CommitStatus, CommitStatuses } from '../../../src/forge/status/commit-status.ts'
import { aFleet } from '../a-fleet.ts'
import { aStage, POOLS, readyOf, type Stage } from '../stage.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]

/** Keeps the newest status of each commit, and tells when one is as wanted. */
function aForge() {
  const shown = new Map<string, CommitStatus>()
  const waiting = new Set<() => void>()
  const statuses: CommitStatuses = {
    longestDescription: 140,
    list: async () => [],
    post: async (status) => {
      shown.set(status.commit, status)
      for (const look of waiting) look()
    },
  }
  const shows = (commit: string, state: string) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const status = shown.get(commit)
        if (status?.state === state) resolve(`${status.context}: ${status.description}`)
      }
      waiting.add(look)
      look()
    })
  return { statuses, shows }
}

/** As between two rounds of posts. */
function soon<T>({ clock }: Stage, wanted: Promise<T>): Promise<T> {
  return clock.passUntil(wanted, { atMost: 1_000 })
}

test('a commit that fails and rolls back says why beside it, and the one before it runs', async () => {
  await using stage = await aStage()
  await stage.addNodes(3)
  stage.startAgents((_, { REVISION }) => (REVISION === B ? 'rolls back' : 'applies'))
  const { statuses, shows } = aForge()
  stage.startController({ commitStatuses: { statuses, prefix: 'nodewave/staging' } })
  const rollout = 'maxUnavailable: 1, onFailure: Rollback'
  stage.push('a', aFleet({ rollout }))
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  expect(await soon(stage, shows(A, 'success'))).toBe('nodewave/staging/workers: 3 nodes run it')

  stage.push('b', aFleet({ rollout, v: 4 }))
  expect(await soon(stage, shows(B, 'failure'))).toMatch(/^nodewave\/staging\/workers: rolled back: .*n0/)
  expect(await soon(stage, shows(A, 'success'))).toBe('nodewave/staging/workers: 3 nodes run it')
})

test('commit that the API server refuses to keep says so beside it while the server refuses', async () => {
  await using stage = await aStage()
  await stage.addNodes(1)
  stage.startAgents()
  const { statuses, shows } = aForge()
  stage.startController({ commitStatuses: { statuses, prefix: 'nodewave' } })
  stage.push('a', aFleet())
  await stage.until(POOLS, (found) => readyOf(found.get('workers')) === 'True Completed')
  await soon(stage, shows(A, 'success'))
  // The poster rests, and waits for news.
  for (let seconds = 0; seconds < 10; seconds += 1) {
    stage.clock.advance(1_000)
    await turn()
  }
  const began = stage.clock.now()
  stage.server.faults.failNext({ verb: 'create', resource: 'configmaps', code: 403, times: 1000 })
  stage.push('b', aFleet({ v: 4 }))
  const told = stage.clock.passUntil(shows(B, 'error'), { atMost: 20_000 })
  expect(await told).toMatch(/^nodewave\/workers: commit "b{40}" cannot be stored: failed to create/)
  expect(stage.clock.now() - began).toBeLessThan(30_000)
})
