import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type PosterPool, StatusPoster } from '../../../src/controller/commit-status/status-poster.ts'
import { type CommitStatus, type CommitStatuses, ForgeError } from '../../../src/forge/status/commit-status.ts'
import { newestOf } from '../../../src/forge/status/github-statuses.ts'
import { TestClock } from '../test-clock.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]

function aPool(revision: string, current: number): PosterPool {
  const conditions = [
    { type: 'Reconciling', status: 'True', reason: 'RollingOut', message: 'goes on', lastTransitionTime: '' } as const,
  ]
  const wave = { index: 1, count: 1, name: 'all' }
  const nodes = { total: 3, current, byPhase: {} }
  const target = { revision, fingerprint: '' }
  return { name: 'workers', status: { target, observedRevision: revision, nodes, conditions, ...(current < 3 && { wave }) } }
}

/** A forge that keeps what it is sent, and may be down. */
class FakeForge implements CommitStatuses {
  readonly longestDescription = 20
  readonly kept: CommitStatus[] = []
  readonly asked: string[] = []
  failure: ForgeError | undefined
  /** By the first letter of a commit; a refusal of this one alone. */
  readonly refusals = new Map<string, ForgeError>()
  /** Whether what is sent during a failure is kept all the same. */
  losesAnswers = false
  #told: (() => void)[] = []

  async list(commit: string) {
    this.#note(`list ${commit[0]}`)
    const failure = this.failure ?? this.refusals.get(commit[0] ?? '')
    if (failure) throw failure
    return newestOf(this.kept.filter((status) => status.commit === commit).toReversed())
  }

  async post(status: CommitStatus) {
    if (this.failure === undefined || this.losesAnswers) this.kept.push(status)
    this.#note(`post ${status.commit[0]} ${status.state} ${status.description}`)
    if (this.failure) throw this.failure
  }

  /** Resolves when so much was asked. */
  async after(count: number): Promise<readonly string[]> {
    while (this.asked.length < count) await new Promise<void>((resolve) => this.#told.push(resolve))
    return this.asked
  }

  #note(line: string): void {
    this.asked.push(line)
    for (const told of this.#told.splice(0)) told()
  }
}

function aPoster(forge = new FakeForge()) {
  const stage = { forge, clock: new TestClock(), pools: [aPool(A, 1)], log: [] as string[], stop: new AbortController() }
  const poster = new StatusPoster({
    ...{ statuses: forge, prefix: 'nodewave', clock: stage.clock },
    pools: () => stage.pools,
    log: (level, message) => stage.log.push(`${level} ${message}`),
  })
  return { ...stage, stage, poster, running: poster.run(stage.stop.signal) }
}

/** The poster rests for a second after each round, whatever is told meanwhile. */
async function nextRound({ poster, clock }: Pick<ReturnType<typeof aPoster>, 'poster' | 'clock'>): Promise<void> {
  poster.fire()
  await clock.awaited(1_000)
  clock.advance(1_000)
}

test('a pool is followed to its end, with descriptions cut to what the forge takes', async () => {
  const play = aPoster()
  expect(await play.forge.after(2)).toEqual(['list a', 'post a pending 1/3 nodes, wave 1 o…'])
  play.stage.pools = [aPool(A, 3)]
  await nextRound(play)
  expect((await play.forge.after(3)).slice(2)).toEqual(['post a success 3 nodes run it'])
  play.stop.abort()
  await play.running
})

test('another description of the same state is posted 5.25 s after the first one', async () => {
  const play = aPoster()
  await play.forge.after(2)
  play.stage.pools = [aPool(A, 2)]
  await nextRound(play)
  await turn()
  play.clock.advance(4_249)
  await turn()
  expect(play.forge.asked).toHaveLength(2)
  play.clock.advance(1)
  expect((await play.forge.after(3)).slice(2)).toEqual(['post a pending 2/3 nodes, wave 1 o…'])
  play.stop.abort()
  await play.running
})

test('a commit of which the contents of Secrets are a part of the revision is posted as the present one', async () => {
  const play = aPoster()
  await play.forge.after(2)
  play.stage.pools = [aPool(`${B}+1a2b3c4d`, 1)]
  await nextRound(play)
  expect((await play.forge.after(4)).slice(2)).toEqual(['list b', 'post b pending 1/3 nodes, wave 1 o…'])
  play.stop.abort()
  await play.running
})

test('a poster that begins again says nothing that the forge shows already', async () => {
  const forge = new FakeForge()
  const first = aPoster(forge)
  await forge.after(2)
  first.stop.abort()
  await first.running
  const second = aPoster(forge)
  await forge.after(3)
  second.stage.pools = [aPool(B, 1)]
  await nextRound(second)
  expect((await forge.after(5)).slice(2)).toEqual(['list a', 'list b', 'post b pending 1/3 nodes, wave 1 o…'])
  second.stop.abort()
  await second.running
})

test('a forge that is down is asked again after 5 s, 10 s and what it asks for, and told of once', async () => {
  const forge = new FakeForge()
  forge.failure = new ForgeError('https://git.example.com: HTTP 503')
  const { clock, log, stop, running } = aPoster(forge)
  await forge.after(1)
  await clock.awaited(5_000)
  clock.advance(5_000)
  await forge.after(2)
  await clock.awaited(10_000)
  forge.failure = new ForgeError('https://git.example.com: HTTP 429', { retryAfter: 60_000 })
  clock.advance(10_000)
  await forge.after(3)
  await clock.awaited(60_000)
  forge.failure = undefined
  clock.advance(60_000)
  expect((await forge.after(5)).slice(3)).toEqual(['list a', 'post a pending 1/3 nodes, wave 1 o…'])
  expect(log).toEqual([
    'warn commit statuses: aaaaaaa: https://git.example.com: HTTP 503; tried again until it works, next in 5 s',
    'warn commit statuses: https://git.example.com: HTTP 429; tried again until it works, next in 60 s',
  ])
  stop.abort()
  await running
})

test('a status whose answer was lost is looked for before it is posted again', async () => {
  const forge = new FakeForge()
  const play = aPoster(forge)
  await forge.after(2)
  play.stage.pools = [aPool(A, 3)]
  forge.losesAnswers = true
  forge.failure = new ForgeError('https://git.example.com: socket hang up')
  await nextRound(play)
  await forge.after(3)
  await play.clock.awaited(5_000)
  forge.failure = undefined
  play.clock.advance(5_000)
  await forge.after(4)
  await nextRound(play)
  expect(forge.asked.slice(2)).toEqual(['post a success 3 nodes run it', 'list a'])
  play.stop.abort()
  await play.running
})

test('a commit that the forge refuses, such as one that was pushed away, keeps no other commit from its status', async () => {
  const forge = new FakeForge()
  forge.refusals.set('a', new ForgeError('https://git.example.com: HTTP 404: Not Found', { isRefusal: true }))
  const { clock, log, stop, running, stage, poster } = aPoster(forge)
  await forge.after(1)
  stage.pools = [aPool(A, 1), aPool(B, 1)]
  await nextRound({ poster, clock })
  expect((await forge.after(3)).slice(1)).toEqual(['list b', 'post b pending 1/3 nodes, wave 1 o…'])
  await clock.awaited(4_000)
  forge.refusals.clear()
  clock.advance(4_000)
  expect((await forge.after(5)).slice(3)).toEqual(['list a', 'post a pending 1/3 nodes, wave 1 o…'])
  expect(log).toEqual([
    'warn commit statuses: aaaaaaa: https://git.example.com: HTTP 404: Not Found; tried again until it works, next in 5 s',
  ])
  stop.abort()
  await running
})

test('forge that fails at one commit again and again shows the status of the others', async () => {
  const forge = new FakeForge()
  forge.refusals.set('a', new ForgeError('https://git.example.com: HTTP 500'))
  const play = aPoster(forge)
  await forge.after(1)
  play.stage.pools = [aPool(A, 1), { ...aPool(B, 1), name: 'gpu' }]
  for (let round = 0; round < 3; round += 1) {
    await turn()
    play.clock.advance(20_000)
  }
  expect(forge.asked).toContain('post b pending 1/3 nodes, wave 1 o…')
  expect(play.log).toEqual([
    'warn commit statuses: aaaaaaa: https://git.example.com: HTTP 500; tried again until it works, next in 5 s',
  ])
  play.stop.abort()
  await play.running
})

/** Rounds are far apart: what is waited for comes within each step. */
async function someRounds({ poster, clock }: ReturnType<typeof aPoster>, count: number, step: number): Promise<void> {
  poster.fire()
  for (let round = 0; round < count; round += 1) {
    await turn()
    clock.advance(step)
  }
  await turn()
}

test('a forge that fails at one commit for long shows the status of a newer one at once', async () => {
  const forge = new FakeForge()
  forge.refusals.set('a', new ForgeError('https://git.example.com: HTTP 500'))
  const play = aPoster(forge)
  await someRounds(play, 8, 100_000)
  play.stage.pools = [aPool(A, 1), { ...aPool(B, 1), name: 'gpu' }]
  await someRounds(play, 3, 1_000)
  expect(forge.asked).toContain('post b pending 1/3 nodes, wave 1 o…')
  play.stop.abort()
  await play.running
})

test('a forge that fails at several commits shows the status of the others', async () => {
  const forge = new FakeForge()
  for (const commit of ['a', 'b']) forge.refusals.set(commit, new ForgeError('https://git.example.com: HTTP 500'))
  const play = aPoster(forge)
  play.stage.pools = [A, B, 'c'.repeat(40)].map((commit) => ({ ...aPool(commit, 1), name: commit.slice(0, 1) }))
  await someRounds(play, 8, 20_000)
  expect(forge.asked).toContain('post c pending 1/3 nodes, wave 1 o…')
  play.stop.abort()
  await play.running
})

test('a forge that fails at many commits shows the status of the others within minutes', async () => {
  const forge = new FakeForge()
  const failing = [...'abcdefghijkl']
  for (const commit of failing) forge.refusals.set(commit, new ForgeError('https://git.example.com: HTTP 500'))
  const play = aPoster(forge)
  play.stage.pools = [...failing, 'm'].map((letter) => ({ ...aPool(letter.repeat(40), 1), name: letter }))
  await someRounds(play, 16, 20_000)
  expect(forge.asked).toContain('post m pending 1/3 nodes, wave 1 o…')
  play.stop.abort()
  await play.running
})
