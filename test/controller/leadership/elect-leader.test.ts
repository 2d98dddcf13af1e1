import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DEFAULT_LEASE_TIMINGS } from '../../../src/controller/leadership/election.ts'
import { electLeader, type Term } from '../../../src/controller/leadership/leader-elector.ts'
import { leaseObject, leasePath } from '../../../src/controller/leadership/lease.ts'
import { type KubeApi, KubeError, type KubeObject } from '../../../src/kube/kube-api.ts'
import { TIME_COUNTS_SINCE } from '../../../src/protocol/names.ts'
import { FakeKube, refusal } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

const NAMESPACE = 'nodewave-system'
const PATH = leasePath(NAMESPACE)
const START = Date.UTC(2026, 10, 21, 8)

const leaseOf = (holder: string) =>
  leaseObject(
    { holder, leaseDuration: 15_000, acquiredAt: START, renewedAt: START, transitions: 3 },
    { found: undefined, namespace: NAMESPACE },
  )

/** The candidate `a`. What it does is noted; time passes as the test says. */
function aCandidate({
  holder,
  watchFails = false,
  countsSince,
}: {
  holder?: string
  watchFails?: boolean
  countsSince?: number
} = {}) {
  const [kube, clock, ending, said] = [new FakeKube(), new TestClock(START), new AbortController(), [] as string[]]
  if (holder !== undefined) kube.put(PATH, leaseOf(holder))
  const terms: Term[] = []
  const standing: AbortSignal[] = []
  const replace = kube.replace.bind(kube)
  const follow = async function* (_: string, { signal }: { readonly signal: AbortSignal }) {
    if (watchFails) throw new Error('no watch')
    await once(signal, 'abort')
    yield* []
    throw new Error('the caller gave up')
  }
  /** A PUT makes a Lease that is not there. */
  const put = async (path: string, body: unknown) =>
    kube.objects.has(PATH) || kube.failures.length > 0 ? replace(path, body) : kube.put(path, body as KubeObject)
  Object.assign(kube, { follow, replace: put })
  const elected = electLeader({
    ...{
      kube: kube as KubeApi,
      clock,
      namespace: NAMESPACE,
      identity: 'a',
      timings: DEFAULT_LEASE_TIMINGS,
      signal: ending.signal,
    },
    log: (level, message) => void said.push(`${level}: ${message}`),
    lead: async (term) => {
      terms.push(term)
      if (!term.signal.aborted) await once(term.signal, 'abort')
    },
    standBy: (signal) => void standing.push(signal),
    foundOtherClock: () => void said.push('other clock'),
    countsSince: () => countsSince,
    countedSince: (since) => void said.push(`counted since ${since - START}`),
  }).catch((error: Error) => void said.push(`ended: ${error.message}`))
  /** Seconds pass, one by one. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      for (let turns = 0; turns < 5; turns += 1) await turn()
      clock.advance(1000)
    }
    for (let turns = 0; turns < 5; turns += 1) await turn()
  }
  const end = async () => {
    ending.abort()
    await elected
  }
  const holderNow = () => (kube.objects.get(PATH)?.spec as { holderIdentity?: string } | undefined)?.holderIdentity
  /** It renews by a clock that is off by so many milliseconds. */
  const renew = (holder: string, off: number) => {
    const renewedAt = clock.now() + off
    const record = { holder, leaseDuration: 15_000, acquiredAt: START, renewedAt, transitions: 3 }
    kube.put(PATH, leaseObject(record, { found: undefined, namespace: NAMESPACE }))
  }
  return { renew, kube, clock, said, terms, standing, pass, end, holderNow }
}

test('a candidate leads at once where nobody does, renews its Lease, and hands it over at the end', async () => {
  const { said, terms, standing, pass, end, holderNow, kube } = aCandidate()
  await pass(30)
  expect([terms.length, terms[0]?.holds(), terms[0]?.lost.aborted, holderNow()]).toEqual([1, true, false, 'a'])
  expect(kube.requests.filter((line) => line.startsWith('PUT')).length).toBeGreaterThanOrEqual(10)
  await end()
  expect([terms[0]?.signal.aborted, terms[0]?.lost.aborted, terms[0]?.holds()]).toEqual([true, false, false])
  expect([holderNow(), standing.length, said]).toEqual(['', 0, ['info: leading as "a"']])
})

test('a leader that ends hands its Lease over without another look at it', async () => {
  const { pass, end, kube, holderNow } = aCandidate()
  await pass(5)
  kube.requests.length = 0
  await end()
  expect([kube.requests, holderNow()]).toEqual([[`PUT ${PATH}`], ''])
})

test('a candidate stands by while another one leads, says so once, and takes the Lease when that was not renewed', async () => {
  const { said, terms, standing, pass, end, holderNow } = aCandidate({ holder: 'b' })
  await pass(14)
  expect([terms.length, standing.length, standing[0]?.aborted, holderNow()]).toEqual([0, 1, false, 'b'])
  await pass(3)
  expect([terms.length, standing[0]?.aborted, holderNow()]).toEqual([1, true, 'a'])
  await end()
  expect(said).toEqual(['info: standing by: "b" leads', 'info: leading as "a"'])
})

test('a candidate hears since when time counted for the other one, and says in its Lease since when it counts for itself', async () => {
  const { kube, said, pass, end } = aCandidate({ holder: 'b', countsSince: START + 5000 })
  const { metadata } = leaseOf('b')
  kube.put(PATH, { ...leaseOf('b'), metadata: { ...metadata, annotations: { [TIME_COUNTS_SINCE]: '2026-11-21T08:00:01.000Z' } } })
  await pass(30)

  expect(said).toEqual(['info: standing by: "b" leads', 'counted since 1000', 'info: leading as "a"'])
  expect(kube.objects.get(PATH)?.metadata.annotations?.[TIME_COUNTS_SINCE]).toBe('2026-11-21T08:00:05.000Z')
  await end()
  expect(kube.objects.get(PATH)?.metadata.annotations?.[TIME_COUNTS_SINCE]).toBe('2026-11-21T08:00:05.000Z')
})

test('a candidate that stands by leaves the Lease of another one alone when it ends', async () => {
  const { pass, end, holderNow, terms } = aCandidate({ holder: 'b' })
  await pass(2)
  await end()
  expect([holderNow(), terms.length]).toEqual(['b', 0])
})

test.each([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
])('a candidate that may not write the Lease (%i) ends with that, and says why', async (code, reason) => {
  const { kube, said, pass, terms } = aCandidate({ holder: '' })
  kube.failures.push({ on: 'PUT', error: refusal(code, reason) })
  await pass(1)
  expect([said, terms.length]).toEqual([[`ended: refused: ${reason}`], 0])
})

test('a candidate whose server fails tries again, and leads', async () => {
  const { kube, said, pass, terms, end } = aCandidate({ holder: '' })
  kube.failures.push({ on: 'PUT', error: refusal(500, 'InternalError') })
  await pass(10)
  expect([said, terms.length]).toEqual([['warn: lease: refused: InternalError', 'info: leading as "a"'], 1])
  await end()
})

test('a candidate that stands by sleeps until the Lease of the other one ends', async () => {
  const { clock, pass, end } = aCandidate({ holder: 'b' })
  const slept: number[] = []
  const sleep = clock.sleepUntil.bind(clock)
  clock.sleepUntil = (at, signal) => {
    slept.push(at - clock.now())
    return sleep(at, signal)
  }
  await pass(2)
  expect(slept).toEqual([15_000])
  await end()
})

test('a leader that is refused once goes on, and tries again', async () => {
  const { kube, said, pass, terms, end } = aCandidate()
  await pass(1)
  kube.failures.push({ on: 'PUT', error: refusal(403, 'Forbidden') })
  await pass(6)
  expect([said, terms[0]?.signal.aborted]).toEqual([['info: leading as "a"', 'warn: lease: refused: Forbidden'], false])
  await end()
})

test('a leader whose Lease is not renewed for ten seconds loses the lead, and says so', async () => {
  const { kube, said, pass, terms, end } = aCandidate()
  await pass(1)
  const away = new KubeError('away', { code: 0, reason: 'Unreachable' })
  Object.assign(kube, { replace: async () => Promise.reject(away), get: async () => Promise.reject(away) })
  await pass(8)
  expect([terms[0]?.lost.aborted, terms[0]?.holds()]).toEqual([false, true])
  await pass(3)
  expect([terms[0]?.lost.aborted, terms[0]?.signal.aborted, terms[0]?.holds()]).toEqual([true, true, false])
  expect(said).toContain('warn: lost the lead: the lease was not renewed in time')
  await end()
})

test.each([
  [
    'that fails is told: a release is noticed late',
    true,
    ['warn: watch the lease: Error: no watch; a release of it is noticed late', 'info: leading as "a"'],
  ],
  ['that ends with the process is not', false, ['info: leading as "a"']],
])('a watch of the Lease %s', async (_, watchFails, expected) => {
  const { said, pass, end } = aCandidate({ watchFails })
  await pass(2)
  await end()
  expect(said).toEqual(expected)
})

test('a candidate hears of the clock of who leads, in each renewal that is seen, and says once that it differs', async () => {
  const { renew, said, pass, end } = aCandidate({ holder: 'b' })
  for (const off of [0, 19_000, 5_000, -9_000, -23_000, 40_000]) {
    renew('b', off)
    // Without a watch it is seen when the one before would have expired.
    await pass(15)
  }
  await end()
  expect(said).toEqual([
    'info: standing by: "b" leads',
    'other clock',
    'warn: the clock of "b" is 38 s behind ours',
    'other clock',
  ])
})

test('a renewal that is read long after it was written, as after an outage of the API server, tells nothing of a clock', async () => {
  const { renew, kube, clock, said, pass, end } = aCandidate({ holder: 'b' })
  await pass(1)
  renew('b', 0)
  const { get, replace } = kube
  const away = async () => Promise.reject(new KubeError('away', { code: 0, reason: 'Unreachable' }))
  Object.assign(kube, { replace: away, get: away })
  await pass(30 * 60)
  Object.assign(kube, { replace, get })
  await pass(5)
  expect(said.filter((line) => line.includes('clock'))).toEqual([])
  expect(clock.now()).toBeGreaterThan(START + 30 * 60_000)
  await end()
})

test('a Lease that somebody else writes, or that a backup brings back, tells nothing of the clock of its holder', async () => {
  const { renew, kube, said, pass, end } = aCandidate({ holder: 'b' })
  await pass(1)
  const found = kube.objects.get(PATH) as KubeObject
  await pass(13)
  renew('b', 0)
  await pass(15)
  for (let note = 1; note <= 4; note += 1) {
    await pass(14)
    const { metadata } = kube.objects.get(PATH) as KubeObject
    kube.put(PATH, { ...found, metadata: { ...metadata, annotations: { note: `${note}` } } })
    await pass(2)
  }
  await end()
  expect(said.filter((line) => line.includes('clock'))).toEqual([])
})

test('a Lease that is handed over by a clock which was put back a moment ago shows that', async () => {
  const { renew, said, pass, end } = aCandidate({ holder: 'b' })
  await pass(1)
  renew('', -60 * 60_000)
  await pass(15)
  await end()
  expect(said).toEqual(['info: standing by: "b" leads', 'other clock', 'info: leading as "a"'])
})
