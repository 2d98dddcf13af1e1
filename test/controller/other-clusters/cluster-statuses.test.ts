import { expect, test } from 'vitest'
import { ClusterStatuses } from '../../../src/controller/other-clusters/cluster-statuses.ts'
import { NOBODY_TO_ASK } from '../../../src/controller/other-clusters/other-clusters.ts'
import type { StatusAccounts } from '../../../src/controller/other-clusters/status-accounts.ts'
import { type AccountStatuses, type CommitStatus, ForgeError } from '../../../src/forge/status/commit-status.ts'
import { TestClock } from '../test-clock.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]
const STAGING = [{ cluster: 'staging', pool: 'workers' }]

/** A forge in which accounts post statuses, and which may be down. */
class FakeForge implements AccountStatuses {
  readonly kept: (CommitStatus & { readonly account: string })[] = []
  failure: ForgeError | undefined
  asked = 0

  async listByAccount(commit: string) {
    this.asked += 1
    if (this.failure) throw this.failure
    return this.kept.filter((status) => status.commit === commit)
  }

  says(state: CommitStatus['state'], { account = 'nodewave[bot]', commit = A, description = '' } = {}): void {
    this.kept.push({ account, commit, context: 'nodewave/staging/workers', state, description })
  }
}

function aReader(accounts: StatusAccounts = new Map([['', 'nodewave[bot]']])) {
  const [forge, clock, stop] = [new FakeForge(), new TestClock(), new AbortController()]
  let told: (() => void) | undefined
  const log: string[] = []
  const statuses = new ClusterStatuses({
    ...{ statuses: forge, accounts, contextOf: (cluster) => `nodewave/${cluster}`, clock },
    log: (level, message) => log.push(`${level} ${message}`),
    changed: () => told?.(),
  })
  const changed = () => new Promise<void>((resolve) => (told = resolve))
  const run = () => statuses.run(stop.signal)
  return { forge, clock, statuses, changed, run, log, stop: () => stop.abort() }
}

test('a pool of another cluster is awaited until its cluster says success beside the commit', async () => {
  const { forge, clock, statuses, changed, run, stop } = aReader()
  forge.says('success', { commit: B })
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard
  expect(statuses.awaited(STAGING, A)).toEqual([{ pool: 'staging/workers', failed: false }])

  forge.kept.length = 0
  forge.says('success')
  const again = changed()
  await clock.awaited(15_000)
  clock.advance(15_000)
  await again
  expect(statuses.awaited(STAGING, A)).toEqual([])
  expect(statuses.awaited(STAGING, B)).toEqual([{ pool: 'staging/workers', failed: false }])
  stop()
  await running
})

test('a success counts on when newer statuses of others push it out of what the forge lists', async () => {
  const { forge, clock, statuses, changed, run, stop } = aReader()
  forge.says('success')
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard

  forge.kept.splice(0, 1, { account: 'bot', commit: A, context: 'nodewave/staging/gpu', state: 'pending', description: '' })
  const again = changed()
  await clock.awaited(15_000)
  clock.advance(15_000)
  await again
  expect(statuses.awaited(STAGING, A)).toEqual([])
  stop()
  await running
})

test('a status of another account counts for nothing, and is told of', async () => {
  const { forge, statuses, changed, run, stop } = aReader()
  forge.says('success', { account: 'mallory' })
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard
  const why =
    'whose status "nodewave/staging/workers" was posted by account "mallory": only those of --status-account "nodewave[bot]" count'
  expect(statuses.awaited(STAGING, A)).toEqual([{ pool: 'staging/workers', failed: false, why }])
  stop()
  await running
})

test('a cluster with an account of its own counts by that one alone, and no other cluster can say its success', async () => {
  const { forge, clock, statuses, changed, run, stop } = aReader(
    new Map([
      ['staging', 'bot-staging'],
      ['dev', 'bot-dev'],
    ]),
  )
  forge.says('success', { account: 'bot-dev' })
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard
  const why =
    'whose status "nodewave/staging/workers" was posted by account "bot-dev": only those of --status-account "bot-staging" count'
  expect(statuses.awaited(STAGING, A)).toEqual([{ pool: 'staging/workers', failed: false, why }])

  forge.says('success', { account: 'Bot-Staging' })
  const again = changed()
  await clock.awaited(15_000)
  clock.advance(15_000)
  await again
  expect(statuses.awaited(STAGING, A)).toEqual([])
  expect(statuses.awaited([{ cluster: 'qa', pool: 'workers' }], A)).toEqual([
    { pool: 'qa/workers', failed: false, why: 'whose account is unknown: state it, --status-account qa=ACCOUNT' },
  ])
  stop()
  await running
})

test('a failure there is told with its words', async () => {
  const { forge, statuses, changed, run, stop } = aReader()
  forge.says('failure', { description: 'rolled back: HealthCheckFailed on s-0' })
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard
  expect(statuses.awaited(STAGING, A)).toEqual([
    { pool: 'staging/workers', failed: true, why: 'where it failed: rolled back: HealthCheckFailed on s-0' },
  ])
  stop()
  await running
})

test('a forge that is down is named, asked again later, and takes back nothing', async () => {
  const { forge, clock, statuses, changed, run, log, stop } = aReader()
  forge.failure = new ForgeError('https://git.example.com/api/v1: HTTP 502: Bad Gateway', { retryAfter: 60_000 })
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard
  const why = 'whose status cannot be read: https://git.example.com/api/v1: HTTP 502: Bad Gateway'
  expect(statuses.awaited(STAGING, A)).toEqual([{ pool: 'staging/workers', failed: false, why }])
  expect(log).toHaveLength(1)

  forge.failure = undefined
  forge.says('success')
  const up = changed()
  await clock.awaited(60_000)
  clock.advance(60_000)
  await up
  expect(statuses.awaited(STAGING, A)).toEqual([])

  forge.failure = new ForgeError('https://git.example.com/api/v1: down again')
  const down = changed()
  await clock.awaited(15_000)
  clock.advance(15_000)
  await down
  expect(statuses.awaited(STAGING, A)).toEqual([])
  stop()
  await running
})

test('nothing is asked while no pool waits', async () => {
  const { forge, clock, statuses, changed, run, stop } = aReader()
  const heard = changed()
  const running = run()
  statuses.follow(A)
  await heard
  await clock.awaited(15_000)
  statuses.follow(undefined)
  await Promise.resolve()
  clock.advance(3_600_000)
  expect(forge.asked).toBe(1)
  stop()
  await running
})

test('a pool of another cluster is awaited, and has not failed, where nobody can be asked', () => {
  expect(NOBODY_TO_ASK.awaited([{ cluster: 'eu', pool: 'workers' }], 'abc')).toEqual([
    {
      ...{ pool: 'eu/workers', failed: false },
      why: 'whose status is not read: start the controller with --status-forge and --status-account',
    },
  ])
})
