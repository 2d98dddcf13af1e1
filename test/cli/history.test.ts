import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cut, formatDuration, formatTime } from '../../src/cli/format-time.ts'
import { poolHistoryLines, poolRuns } from '../../src/cli/history/pool-history.ts'
import type { HistoryEntry } from '../../src/protocol/node-pool.ts'
import { aFleet } from '../controller/a-fleet.ts'
import { aStage, POOLS, type Stage } from '../controller/stage.ts'
import { aFolder, runCli } from './run-cli.ts'

const history: readonly HistoryEntry[] = [
  {
    revision: '3f2c1ab'.padEnd(40, '0'),
    fingerprint: 'v1:2',
    author: 'Ada Lovelace, Countess',
    subject: 'kubelet 1.36.3 with a subject that is much too long for any table',
    startedAt: '2026-11-21T08:00:00.000Z',
    endedAt: '2026-11-21T08:02:10.000Z',
    result: 'RolledBack',
    message: '"n1": failed to validate config: kubelet exited 3 times: unknown flag: --foo, which is said at some length here',
  },
  {
    revision: 'a'.repeat(40),
    fingerprint: 'v1:1',
    startedAt: '2026-11-20T08:00:00.000Z',
    endedAt: '2026-11-20T11:05:00.000Z',
    result: 'Completed',
  },
]
const controls = [
  {
    action: 'Pause',
    who: 'bob',
    at: '2026-11-20T09:00:00Z',
    value: 'new firmware',
    outcome: 'Done',
    message: 'nothing begins',
  } as const,
]

test('the history of a pool shows runs with who, how long, why they failed and what people did, as wide as the terminal', () => {
  const lines = poolHistoryLines(poolRuns({ history, controls }, 0), { columns: 80, isTTY: true })

  expect(lines).toEqual([
    'STARTED           TOOK   RESULT      COMMIT   BY            SUBJECT',
    '2026-11-21 08:00  2m10s  RolledBack  3f2c1ab  Ada Lovelac…  kubelet 1.36.3 with…',
    '  failed on "n1": failed to validate config: kubelet exited 3 times: unknown\n    flag: --foo, which is said at some length here',
    '2026-11-20 08:00  3h5m   Completed   aaaaaaa',
    '  2026-11-20T09:00:00Z bob: Pause "new firmware"; nothing begins',
  ])
  expect(
    Math.max(
      ...lines
        .join('\n')
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(80)
})

test('a history cuts nothing where there is no terminal, and leaves a subject readable in a narrow one', () => {
  const rowIn = (columns: number, isTTY: boolean) => poolHistoryLines(poolRuns({ history }, 0), { columns, isTTY })[1]

  expect(rowIn(80, false)).toBe(
    '2026-11-21 08:00  2m10s  RolledBack  3f2c1ab  Ada Lovelace, Countess  kubelet 1.36.3 with a subject that is much too long for any table',
  )
  expect(rowIn(20, true)).toBe('2026-11-21 08:00  2m10s  RolledBack  3f2c1ab  Ada Lovelac…  kubelet 1.3…')
})

test('moments and durations are short', () => {
  expect([0, 999, 61_000, 3_600_000, 90_061_000].map((each) => formatDuration(each))).toEqual(['0s', '0s', '1m1s', '1h', '1d1h'])
  expect([formatTime('2026-11-21T08:00:59Z'), formatTime('never')]).toEqual(['2026-11-21 08:00', 'never'])
  expect([cut('abc', 3), cut('abcd', 3)]).toEqual(['abc', 'ab…'])
})

async function aFleetAtB(stage: Stage) {
  const folder = await aFolder({ kubeconfig: stage.server.kubeconfig() })
  await stage.addNodes(2)
  stage.startController()
  stage.startAgents()
  for (const [digit, v] of [['a', 2] as const, ['b', 3] as const]) {
    stage.push(digit, aFleet({ v }))
    await stage.until(POOLS, (found) => {
      stage.clock.advance(1000)
      const { stable } = (found.get('workers')?.status ?? {}) as { stable?: { revision: string } }
      return stable?.revision === digit.repeat(40)
    })
  }
  return (...args: string[]) =>
    runCli(folder, [...args, '--kubeconfig', join(folder, 'kubeconfig')], { now: () => stage.clock.now() })
}

test('the history of a node tells what it ran before, without a request of its own', async () => {
  await using stage = await aStage()
  const run = await aFleetAtB(stage)

  const { runs } = JSON.parse((await run('history', 'n0', '-o', 'json')).stdout) as {
    runs: { revision: string; phase: string }[]
  }

  expect(runs.map(({ revision, phase }) => `${revision} ${phase}`)).toEqual(['bbbbbbbbbbbb Applied', 'aaaaaaaaaaaa Applied'])
  expect(stage.requests.filter((line) => line === 'PATCH /api/v1/nodes/n0').length).toBe(2)
  expect((await run('history', 'node/n0')).stdout.split('\n')[0]).toBe(
    'ASSIGNED          UNTIL             PHASE    KUBELET  COMMIT        REASON',
  )
})

test('the history of a pool comes as JSON, too, and an unknown name is an error', async () => {
  await using stage = await aStage()
  const run = await aFleetAtB(stage)

  const { pool, runs } = JSON.parse((await run('history', 'workers', '-o', 'json')).stdout) as { pool: string; runs: object[] }

  expect(pool).toBe('workers')
  expect(runs).toMatchObject([
    { revision: 'b'.repeat(40), result: 'Completed', author: 'Ada', subject: 'change b' },
    { revision: 'a'.repeat(40), result: 'Completed' },
  ])
  expect(await run('history', 'worker')).toMatchObject({
    stderr: 'error: no pool or node is named "worker"; did you mean "workers"?\n',
    code: 2,
  })
  expect((await run('history', 'node/n7')).stderr).toBe('error: unknown node "n7"; did you mean "n0"?\n')
})

test('status of a pool shows what people set, and where it can be rolled back to', async () => {
  await using stage = await aStage()
  const run = await aFleetAtB(stage)
  await run('hold', 'n1', '--reason', 'disk', '--as-name', 'ada')
  await run('pause', 'workers', '--reason', 'firmware', '--as-name', 'ada', '--wait')

  const { stdout, code } = await run('status', 'workers')

  expect(code).toBe(0)
  const at = '2026-11-21T'
  expect(stdout).toContain(`  paused by ada at ${at}`)
  expect(stdout).toContain(': firmware\n')
  expect(stdout).toContain('  held: n1 (ada: disk)\n')
  expect(stdout).toContain('ROLLBACK TARGETS\n  aaaaaaaaaaaa change a\n')
  expect(stdout.replace(/\n {4}/g, ' ')).toMatch(/ ada: Pause "firmware"; no new node starts; nodes that have started finish\n/)
})

test('status of a node tells its pool, phase and hold, and ends with 1 unless all is well', async () => {
  await using stage = await aStage()
  const run = await aFleetAtB(stage)
  expect((await run('status', 'n0')).code).toBe(0)
  await run('hold', 'n1', '--reason', 'disk', '--as-name', 'ada')

  const { stdout, code } = await run('status', 'n1', '-o', 'json')

  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    node: 'n1',
    pool: 'workers',
    well: false,
    facts: { held: expect.stringMatching(/^disk \(ada at 2026-/), phase: expect.stringMatching(/^Applied since /) },
  })
})
