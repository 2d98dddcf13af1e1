import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Notifier } from '../../../src/controller/notifications/notifier.ts'
import { type NotifiedPool, rolloutNotifications } from '../../../src/controller/notifications/pool-notifications.ts'
import type { ChannelFilter } from '../../../src/notify/channel-filter.ts'
import type { Channel } from '../../../src/notify/notification.ts'
import type { PoolReason } from '../../../src/protocol/node-pool.ts'
import { RemoteError } from '../../../src/remote/remote-error.ts'
import { FakeKube, refusal } from '../fake-kube.ts'
import { TestClock } from '../test-clock.ts'

const RECORDS = '/api/v1/namespaces/nodewave-system/configmaps'
const RECORD = `${RECORDS}/nodewave-notified-ops`
/** Of the test clock. */
const START = Date.UTC(2026, 10, 21, 8)
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()

/** A rollout that began and ended so many seconds after the clock's start. */
function aPool({
  began,
  ended,
  stalled,
}: {
  readonly began?: number
  readonly ended?: number
  readonly stalled?: PoolReason
}): NotifiedPool {
  const rollout = { revision: 'a'.repeat(40), fingerprint: 'f' }
  const entry =
    ended === undefined
      ? ({ ...rollout, startedAt: at(began ?? 0), result: 'Running' } as const)
      : ({ ...rollout, startedAt: at(began ?? 0), endedAt: at(ended), result: 'Completed' } as const)
  const conditions = stalled
    ? [{ type: 'Stalled', status: 'True', reason: stalled, message: 'why', lastTransitionTime: at(-60) } as const]
    : []
  return { name: 'workers', uid: 'u', status: { history: began === undefined ? [] : [entry], conditions } }
}

/** Keeps reasons, and fails as told. */
class FakeChannel implements Channel {
  readonly name = 'ops'
  readonly perMinute = 20
  readonly filter: ChannelFilter
  readonly tried: string[] = []
  readonly failures = new Map<string, RemoteError>()
  #waiting: (() => void)[] = []

  constructor(filter: ChannelFilter = { pools: ['*'] }) {
    this.filter = filter
  }

  readonly send: Channel['send'] = async ({ reason }) => {
    this.tried.push(reason)
    for (const told of this.#waiting.splice(0)) told()
    const failure = this.failures.get(reason)
    if (failure) throw failure
  }

  async after(count: number): Promise<readonly string[]> {
    while (this.tried.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return this.tried
  }
}

function aStage({ kube = new FakeKube(), channel = new FakeChannel(), clock = new TestClock(START) } = {}) {
  const stage = { pools: [] as NotifiedPool[], log: [] as string[], tried: [] as string[] }
  const stop = new AbortController()
  const notifier = new Notifier({
    ...{ channel, kube, clock, namespace: 'nodewave-system' },
    pools: () => stage.pools,
    log: (level, message) => stage.log.push(`${level} ${message}`),
    tried: (result) => stage.tried.push(result),
  })
  const start = (pools: readonly NotifiedPool[]) => {
    stage.pools = [...pools]
    const running = notifier.run(stop.signal)
    return async () => {
      stop.abort()
      await running
    }
  }
  return { stage, kube, channel, clock, notifier, start }
}

type Play = ReturnType<typeof aStage>

/** It rests for a second after each round. */
async function then({ stage, notifier, clock }: Play, pools: readonly NotifiedPool[], seconds = 1): Promise<void> {
  stage.pools = [...pools]
  notifier.fire()
  await clock.awaited(1_000)
  clock.advance(seconds * 1000)
}

test('a new channel hears of what holds, not of rollouts before it', async () => {
  const play = aStage()
  const end = play.start([aPool({ began: -100, ended: -50, stalled: 'DrainBlocked' })])

  expect(await play.channel.after(1)).toEqual(['DrainBlocked'])
  await end()
})

test('a channel that wants more than before hears of what holds, not of rollouts before that', async () => {
  const first = aStage({ channel: new FakeChannel({ pools: ['*'], reasons: ['Paused'] }) })
  const endFirst = first.start([aPool({ stalled: 'Paused' })])
  await first.channel.after(1)
  await endFirst()
  const second = aStage({ kube: first.kube, clock: first.clock })
  const endSecond = second.start([aPool({ began: -100, ended: -50, stalled: 'DrainBlocked' })])
  await second.channel.after(1)
  const other = { ...aPool({ stalled: 'Paused' }), name: 'gpu', uid: 'v' }
  await then(second, [aPool({ began: -100, ended: -50, stalled: 'DrainBlocked' }), other])

  expect(await second.channel.after(2)).toEqual(['DrainBlocked', 'Paused'])
  await endSecond()
})

test('a channel that wants as much again as once hears of no rollout in between', async () => {
  const wide = aStage()
  const endWide = wide.start([])
  await then(wide, [aPool({ stalled: 'Paused' })])
  await wide.channel.after(1)
  await endWide()
  const narrow = aStage({
    kube: wide.kube,
    clock: wide.clock,
    channel: new FakeChannel({ pools: ['*'], reasons: ['DrainBlocked'] }),
  })
  const endNarrow = narrow.start([aPool({ began: -100, ended: -50, stalled: 'DrainBlocked' })])
  await narrow.channel.after(1)
  await endNarrow()
  const again = aStage({ kube: wide.kube, clock: wide.clock })
  const endAgain = again.start([aPool({ began: -100, ended: -50, stalled: 'NodesDown' })])

  expect(await again.channel.after(1)).toEqual(['NodesDown'])
  await endAgain()
})

test('a record of an earlier release counts: what it names is not told again', async () => {
  const play = aStage()
  const pool = aPool({ began: -100, ended: -50 })
  const told = JSON.stringify({ workers: rolloutNotifications(pool, START).map(({ id }) => id) })
  await play.kube.create(RECORDS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'nodewave-notified-ops' },
    data: { told },
  })
  const end = play.start([pool, { ...aPool({ stalled: 'Paused' }), name: 'gpu', uid: 'v' }])

  expect(await play.channel.after(1)).toEqual(['Paused'])
  await end()
})

test('a rollout that a record of an earlier release does not name ended meanwhile, and is told', async () => {
  const play = aStage()
  await play.kube.create(RECORDS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'nodewave-notified-ops' },
    data: { told: JSON.stringify({ workers: [] }) },
  })
  const end = play.start([aPool({ began: -100, ended: -50 })])

  expect(await play.channel.after(1)).toEqual(['RolloutStarted'])
  await end()
})

test('a rollout is told as it goes', async () => {
  const play = aStage()
  const end = play.start([])
  await then(play, [aPool({ began: 1 })], 11)
  expect(await play.channel.after(1)).toEqual(['RolloutStarted'])
  await then(play, [aPool({ began: 1, ended: 11 })], 10)
  expect(await play.channel.after(2)).toEqual(['RolloutStarted', 'RolloutCompleted'])
  await end()
})

test('another leader goes on where the former one stopped', async () => {
  const first = aStage()
  const endFirst = first.start([])
  await then(first, [aPool({ began: 1 })], 11)
  await first.channel.after(1)
  first.notifier.fire()
  await first.clock.awaited(1_000)
  await endFirst()
  const second = aStage({ kube: first.kube, clock: first.clock })
  second.clock.advance(20_000)
  const endSecond = second.start([aPool({ began: 1, ended: 12 })])

  expect(await second.channel.after(1)).toEqual(['RolloutCompleted'])
  await endSecond()
})

test('a server that fails is asked again later, and then hears it once', async () => {
  const play = aStage()
  play.channel.failures.set('DrainBlocked', new RemoteError('HTTP 503', { retryAfter: 30_000 }))
  const end = play.start([aPool({ stalled: 'DrainBlocked' })])
  await play.channel.after(1)
  await play.clock.awaited(30_000)
  play.channel.failures.clear()
  play.clock.advance(30_000)
  await play.channel.after(2)
  await then(play, [aPool({ stalled: 'DrainBlocked' }), { ...aPool({ stalled: 'Paused' }), name: 'gpu', uid: 'v' }])

  expect(await play.channel.after(3)).toEqual(['DrainBlocked', 'DrainBlocked', 'Paused'])
  expect(play.stage.log).toEqual(['warn notifications to "ops": HTTP 503; tried again until it works, next in 30 s'])
  await end()
  expect(play.stage.tried).toEqual(['failed', 'sent', 'sent'])
})

test('a notification that is refused holds up no other', async () => {
  const play = aStage()
  play.channel.failures.set('DrainBlocked', new RemoteError('HTTP 400', { isRefusal: true }))
  const end = play.start([aPool({ stalled: 'DrainBlocked' }), { ...aPool({ stalled: 'Paused' }), name: 'gpu', uid: 'v' }])

  expect(await play.channel.after(2)).toEqual(['DrainBlocked', 'Paused'])
  await end()
  expect(play.stage.tried).toEqual(['refused', 'sent'])
})

test('what was sent and could not be recorded is recorded later, and not sent again', async () => {
  const play = aStage()
  const end = play.start([])
  play.kube.failures.push({ on: `PATCH ${RECORD}`, error: refusal(500, 'InternalError') })
  await then(play, [aPool({ stalled: 'DrainBlocked' })])
  await play.channel.after(1)
  await play.clock.awaited(5_000)
  play.stage.pools = [aPool({ stalled: 'DrainBlocked' }), { ...aPool({ stalled: 'Paused' }), name: 'gpu', uid: 'v' }]
  play.clock.advance(5_000)

  expect(await play.channel.after(2)).toEqual(['DrainBlocked', 'Paused'])
  expect(JSON.stringify(play.kube.objects.get(RECORD))).toMatch(/workers[^:]*:[^:]{2}[0-9a-f]{8}[^0-9a-f]/)
  await end()
})

test('a notification that is refused is sent again when its time has come, not in the next round', async () => {
  const play = aStage()
  play.channel.failures.set('DrainBlocked', new RemoteError('HTTP 400', { isRefusal: true }))
  const end = play.start([aPool({ stalled: 'DrainBlocked' })])
  await play.channel.after(1)
  await then(play, [aPool({ stalled: 'DrainBlocked' })])
  await settled()
  expect(play.channel.tried).toEqual(['DrainBlocked'])
  play.clock.advance(4_000)
  expect(await play.channel.after(2)).toEqual(['DrainBlocked', 'DrainBlocked'])
  await end()
})

/** The clock of a machine may be put forward and back; durations are measured by another one. */
class JumpingClock extends TestClock {
  ahead = 0

  override now(): number {
    return super.now() + this.ahead
  }

  override sleepUntil(time: number, signal: AbortSignal): Promise<void> {
    return super.sleepUntil(time - this.ahead, signal)
  }
}

/** A round that is due has ended. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn()
}

const TWO = [aPool({ stalled: 'DrainBlocked' }), { ...aPool({ stalled: 'Paused' }), name: 'gpu', uid: 'v' }]

/** It takes one message a minute, and has had the first of two. */
async function afterOneOfTwo() {
  const channel = Object.assign(new FakeChannel(), { perMinute: 1 })
  const clock = new JumpingClock(START)
  const play = aStage({ channel, clock })
  const end = play.start(TWO)
  await channel.after(1)
  await settled()
  const round = async (milliseconds: number) => {
    play.notifier.fire()
    clock.advance(milliseconds)
    await settled()
    return channel.tried.length
  }
  return { channel, clock, round, end }
}

test('a message beyond the limit of a minute is sent a minute after the one before, though nothing changes', async () => {
  const { channel, clock, end } = await afterOneOfTwo()
  clock.advance(59_999)
  await settled()
  expect(channel.tried).toEqual(['DrainBlocked'])
  clock.advance(1)
  await settled()
  expect(channel.tried).toEqual(['DrainBlocked', 'Paused'])
  await end()
})

test.each([
  ['a minute has almost passed', 59_999, 0, 1],
  ['a minute has passed', 60_000, 0, 2],
  ['the clock was put back to when the first one was sent', 1_000, -1_000, 1],
  ['the clock was put back to before that', 1_000, -1_001, 2],
])('of two messages to a channel that takes one a minute, so many are sent when %s', async (_, milliseconds, ahead, sent) => {
  const { clock, round, end } = await afterOneOfTwo()
  clock.ahead = ahead
  expect(await round(milliseconds)).toBe(sent)
  await end()
})

test('nothing is sent while the record of what was sent cannot be read', async () => {
  const play = aStage()
  play.kube.failures.push({ on: `GET ${RECORD}`, error: refusal(500, 'InternalError') })
  const end = play.start(TWO)
  await settled()
  expect(play.channel.tried).toEqual([])
  play.clock.advance(5_000)
  expect(await play.channel.after(2)).toEqual(['DrainBlocked', 'Paused'])
  await end()
})
