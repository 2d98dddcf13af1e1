import { expect, test } from 'vitest'
import type { CompiledFleet } from '../../../src/controller/fleet/compiled-fleet.ts'
import { HeadIntake, type HeadState } from '../../../src/controller/revisions/head-intake.ts'
import type { HeadEvent } from '../../../src/controller/revisions/head-source.ts'
import { KubeError } from '../../../src/kube/kube-api.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]
const head = (commit: string): HeadEvent => ({ kind: 'head', snapshot: { commit, files: new Map() } }) as never
const refused = (reason: 'UntrustedCommit' | 'InvalidRepository'): HeadEvent => ({
  kind: 'refused',
  commit: B,
  reason,
  message: 'why',
})
const trouble: HeadEvent = { kind: 'trouble', message: 'away' }
const mended: HeadEvent = { kind: 'mended' }

interface Draft {
  readonly kept?: string
  readonly problems?: Readonly<Record<string, readonly string[]>>
  readonly objections?: Readonly<Record<string, string>>
  /** What each commit takes from Secrets. */
  readonly contents?: string
  /** What the pools remember. */
  readonly remembered?: string
}

function anIntake({ kept: last, problems = {}, objections = {}, contents, remembered }: Draft = {}) {
  const did: string[] = []
  const comparisons: string[] = []
  const unreadable = new Set<string>()
  const secrets = ['secret']
  const state = { promoted: '', failures: [] as Error[], unread: [] as Error[] }
  const kept = last === undefined ? [] : [{ commit: last }]
  const fleetOf = (commit: string) =>
    ({
      ...{ commit, problems: problems[commit] ?? [], files: new Map(), pools: new Map() },
      ...(contents !== undefined && { secretRefs: ['ref'] }),
    }) as never as CompiledFleet
  const taker = { take: async () => ({ kind: 'taken', id: contents, values: new Map(), seen: secrets }), look: () => secrets }
  const intake = new HeadIntake({
    compile: ({ commit }) => {
      did.push(`compile ${commit[0]}`)
      return fleetOf(commit)
    },
    store: {
      list: () => kept,
      load: async (commit: string) => {
        const failure = state.unread.shift()
        if (failure) throw failure
        return { commit, files: new Map() }
      },
      put: async ({ commit }: { commit: string }) => {
        const failure = state.failures.shift()
        if (failure) throw failure
        did.push(`put ${commit[0]}`)
        kept.unshift({ commit })
      },
    } as never,
    library: {
      get: async (commit: string) => (unreadable.has(commit) ? undefined : fleetOf(commit)),
      add: ({ commit }: CompiledFleet) => void did.push(`add ${commit[0]}`),
    } as never,
    log: (level, message) => void did.push(`${level} ${message.split('\n')[0]}`),
    guard: {
      objection: ({ commit }, from) => {
        comparisons.push(`${commit[0]} ${from?.commit[0] ?? 'nothing'}`)
        return objections[commit]
      },
      isPromoted: (commit) => commit === state.promoted,
    },
    newestAccepted: (commits) => (remembered === undefined || commits.includes(remembered) ? commits[0] : remembered),
    ...(contents !== undefined && { taker: taker as never }),
  })
  const clock: { now: number; restoredAt?: number } = { now: 0 }
  const absorb = async (...events: readonly HeadEvent[]) => {
    for (const event of events) intake.offer(event)
    return intake.absorb(() => clock.now, clock.restoredAt)
  }
  return { intake, absorb, state, kept, clock, comparisons, unreadable, did: () => did.splice(0) }
}

/** With commits by their letter. */
function shown({ fleet, observed, heldFleet, ...why }: HeadState): object {
  return {
    ...(fleet && { fleet: fleet.commit[0] }),
    ...(observed && { observed: observed[0] }),
    ...(heldFleet && { heldFleet: heldFleet.commit[0] }),
    ...why,
  }
}

test('a valid commit is accepted once it is kept in the cluster', async () => {
  const { intake, absorb, did } = anIntake()
  expect(await absorb(head(A))).toEqual([])
  expect(did()).toEqual(['compile a', 'put a', 'add a', `info accepted commit "${A}"`])
  expect(shown(intake.state)).toEqual({ fleet: 'a', observed: 'a' })
})

test('an accepted commit is kept again when somebody deleted it, and only then', async () => {
  const { absorb, kept, did } = anIntake()
  await absorb(head(A))
  did()
  await absorb()
  expect(did()).toEqual([])
  kept.length = 0
  await absorb()
  expect(did()).toEqual(['put a'])
})

test('of several commits that came meanwhile the last one is looked at', async () => {
  const { absorb, did } = anIntake()
  await absorb(head(A), trouble, head(B), head(C))
  expect(did()[0]).toBe('compile c')
})

test.each<readonly [what: string, events: readonly HeadEvent[], state: object]>([
  ['the same commit from the repository', [head(A)], { fleet: 'a', observed: 'a' }],
  ['nothing new', [], { fleet: 'a', observed: 'a', unread: true }],
  ['a repository that is away', [trouble], { fleet: 'a', observed: 'a', unread: true, trouble: 'away' }],
  ['a repository that came back', [trouble, mended], { fleet: 'a', observed: 'a', unread: true }],
  ['a commit after trouble', [trouble, head(C)], { fleet: 'c', observed: 'c' }],
  ['a commit without a signature', [refused('UntrustedCommit')], { fleet: 'a', observed: 'b', unread: true, untrusted: 'why' }],
  ['a commit that is no fleet', [refused('InvalidRepository')], { fleet: 'a', observed: 'b', unread: true, problem: 'why' }],
  [
    'trouble after such a commit',
    [refused('InvalidRepository'), trouble],
    { fleet: 'a', observed: 'b', unread: true, problem: 'why', trouble: 'away' },
  ],
  ['a good commit after such a one', [refused('UntrustedCommit'), head(C)], { fleet: 'c', observed: 'c' }],
  [
    'another kind of bad commit after such a one',
    [refused('UntrustedCommit'), refused('InvalidRepository')],
    { fleet: 'a', observed: 'b', unread: true, problem: 'why' },
  ],
])('what was accepted last stays with %s, unless another commit is accepted', async (_, events, state) => {
  const { intake, absorb } = anIntake({ kept: A })
  for (const event of events) await absorb(event)
  await absorb()
  expect(shown(intake.state)).toEqual(state)
})

test.each<readonly [what: string, problems: readonly string[], text: string]>([
  ['one problem', ['x'], ' x'],
  ['three problems', ['x', 'y', 'z'], '\nx\ny\nz'],
  ['four problems', ['x', 'y', 'z', 'w'], '\nx\ny\nz\nand 1 more'],
  ['a long problem', ['x'.repeat(2000)], ` ${'x'.repeat(1000)}`],
])('a commit with %s is not accepted, and its first ones are told', async (_, problems, text) => {
  const { intake, absorb, did } = anIntake({ kept: A, problems: { [B]: problems } })
  await absorb(head(B))
  expect(shown(intake.state)).toEqual({
    fleet: 'a',
    observed: 'b',
    unread: true,
    problem: `commit "bbbbbbbbbbbb" is invalid and was not accepted:${text}`,
  })
  expect(did()).not.toContain('put b')
})

test('the accepted commit is kept again when somebody has deleted it, also while a newer one is not taken', async () => {
  const { absorb, kept, did } = anIntake({ problems: { [B]: ['bad'] } })
  await absorb(head(A))
  await absorb(head(B))
  did()

  kept.splice(0)
  expect(await absorb()).toEqual([])
  expect(await absorb()).toEqual([])
  expect(did()).toEqual(['put a'])
})

test('an accepted commit that the server refuses to keep again is tried again after 10 seconds', async () => {
  const { intake, absorb, state, kept, clock, did } = anIntake()
  await absorb(head(A))
  did()

  kept.splice(0)
  state.failures.push(new Error('quota'))
  expect(await absorb()).toEqual([new Error('quota')])
  expect(intake.wakeAt).toBe(10_000)
  clock.now = 9_999
  expect(await absorb()).toEqual([])
  expect(did()).toEqual([])
  clock.now = 10_000
  expect(await absorb()).toEqual([])
  expect(did()).toEqual(['put a'])
  expect(intake.wakeAt).toBe(undefined)
})

test('a commit that needs promotion waits for it, and for nothing else', async () => {
  const { intake, absorb, state, did } = anIntake({ kept: A, objections: { [B]: 'much' } })
  await absorb(head(B))
  expect(shown(intake.state)).toEqual({ fleet: 'a', observed: 'b', unread: true, held: 'much', heldFleet: 'b' })
  did()
  await absorb()
  expect(did()).toEqual([])
  state.promoted = B
  await absorb()
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b' })
  did()
  await absorb()
  expect(did()).toEqual([])
})

test('a commit that needs promotion is of no interest when a newer one came', async () => {
  const { intake, absorb, state, did } = anIntake({ kept: A, objections: { [B]: 'much' } })
  await absorb(head(B))
  state.promoted = B
  did()
  await absorb(head(C))
  expect(did()).toContain('put c')
  expect(did()).not.toContain('compile b')
  expect(shown(intake.state)).toEqual({ fleet: 'c', observed: 'c' })
})

test('a commit that the server refuses to keep is not accepted, and is tried again', async () => {
  const { intake, absorb, state, clock, did } = anIntake({ kept: A })
  state.failures.push(new KubeError('quota', { code: 403, reason: 'Forbidden' }))
  expect(await absorb(head(B))).toMatchObject([{ message: 'quota' }])
  expect(shown(intake.state)).toEqual({
    fleet: 'a',
    observed: 'b',
    unread: true,
    problem: `commit "${B}" cannot be stored: quota`,
  })
  expect(intake.wakeAt).toBe(10_000)
  did()
  clock.now = 9_999
  expect(await absorb()).toEqual([])
  expect(did()).toEqual([])
  clock.now = 10_000
  expect(await absorb()).toEqual([])
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b' })
})

test('a commit that the server refuses to keep is observed with the contents of its Secrets', async () => {
  const { intake, absorb, state } = anIntake({ contents: '1a2b3c4d' })
  state.failures.push(new KubeError('quota', { code: 403, reason: 'Forbidden' }))
  await absorb(head(A))
  expect(intake.state.observed).toBe('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa+1a2b3c4d')
})

test.each(['1a2b3c4d', '5e6f7a8b'])(
  'the repository counts as unread while only the Secrets of a kept commit were looked at: %s',
  async (contents) => {
    const { intake, absorb } = anIntake({ kept: `${A}+1a2b3c4d`, contents })
    await absorb()
    expect([intake.state.observed, intake.state.unread]).toEqual([`${A}+${contents}`, true])
    await absorb(head(A))
    expect([intake.state.observed, intake.state.unread]).toEqual([`${A}+${contents}`, undefined])
  },
)

const QUOTA = () => new KubeError('quota', { code: 403, reason: 'Forbidden' })

test('intake uses no older commit where the newest accepted one is not kept, and uses it once it is restored', async () => {
  const { intake, absorb, kept } = anIntake({ kept: A, remembered: B })
  await absorb(trouble)
  expect(shown(intake.state)).toEqual({ lost: B, trouble: 'away' })
  expect(intake.lastAccepted).toBe(B)
  kept.unshift({ commit: B })
  await absorb()
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b', unread: true, trouble: 'away' })
})

test('intake uses no older commit where the newest kept one cannot be read', async () => {
  const { intake, absorb, unreadable } = anIntake({ kept: A })
  unreadable.add(A)
  await absorb()
  expect(shown(intake.state)).toEqual({ lost: A })
  unreadable.clear()
  await absorb()
  expect(shown(intake.state)).toEqual({ fleet: 'a', observed: 'a', unread: true })
})

test('a lost commit that the repository has is used at once, and kept again once the server takes it', async () => {
  const { intake, absorb, state, kept, clock } = anIntake({ kept: A, remembered: B, objections: { [B]: 'much' } })
  state.failures.push(QUOTA(), QUOTA())
  expect(await absorb(head(B))).toEqual([QUOTA()])
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b' })
  clock.now = 10_000
  expect(await absorb()).toEqual([])
  expect(kept.map(({ commit }) => commit)).toEqual([B, A])
})

test('a commit that is newer than a lost one is not used before it is kept', async () => {
  const { intake, absorb, state } = anIntake({ kept: A, remembered: B })
  state.failures.push(QUOTA())
  await absorb(head(C))
  expect(shown(intake.state)).toEqual({ lost: B, observed: 'c', problem: `commit "${C}" cannot be stored: quota` })
})

test.each<readonly [what: string, compared: object]>([
  ['the newest that is kept', { kept: A, remembered: B, compared: 'c a' }],
  ['none where none is kept', { remembered: B, compared: 'c nothing' }],
])('a commit that is newer than a lost one is compared with %s', async (_, draft) => {
  const { compared, ...given } = draft as { readonly compared: string }
  const { absorb, comparisons } = anIntake(given)
  await absorb(head(C))
  expect(comparisons).toEqual([compared])
})

test('a commit that is newer than a kept one that cannot be read is compared with the newest that can', async () => {
  const { absorb, kept, unreadable, comparisons } = anIntake({ kept: A })
  kept.unshift({ commit: B })
  unreadable.add(B)
  await absorb(head(C))
  expect(comparisons).toEqual(['c a'])
})

test('a commit that was not taken is judged again when a newer kept one comes to light, and not when it is not the newest any more', async () => {
  const { intake, absorb, kept, comparisons } = anIntake({ kept: A, objections: { [C]: 'much' } })
  await absorb(head(C))
  expect(intake.state.held).toBe('much')
  kept.unshift({ commit: B })
  await absorb()
  expect(comparisons).toEqual(['c a', 'c b'])
  await absorb({ kind: 'refused', commit: 'd', reason: 'InvalidRepository', message: 'forced' })
  kept.unshift({ commit: 'd'.repeat(40) })
  await absorb()
  expect(comparisons).toEqual(['c a', 'c b'])
  expect(shown(intake.state)).toEqual({ fleet: 'd', observed: 'd', unread: true, problem: 'forced' })
})

test('a kept commit that waits with other contents of its Secrets is of no interest when a newer kept one comes to light', async () => {
  const taken = `${A}+5e6f7a8b`
  const { intake, absorb, state, kept, did } = anIntake({ kept: `${A}+1a2b3c4d`, contents: '5e6f7a8b' })
  state.failures.push(QUOTA())
  await absorb()
  expect(intake.state.observed).toBe(taken)
  kept.unshift({ commit: `${B}+5e6f7a8b` })
  await absorb()
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b', unread: true })
  expect(did()).not.toContain('put a')
})

test('Secrets of a kept commit are looked at once its documents can be read, though the server was away at first', async () => {
  const { intake, absorb, state } = anIntake({ kept: `${A}+1a2b3c4d`, contents: '5e6f7a8b' })
  state.unread.push(new KubeError('away', { code: 0, reason: 'Unreachable' }))
  await expect(absorb()).rejects.toThrow('away')
  await absorb()
  expect(intake.state.observed).toBe(`${A}+5e6f7a8b`)
})

test('intake takes a newer commit at once while the server refuses to keep the one before', async () => {
  const { intake, absorb, state } = anIntake({ kept: A })
  state.failures.push(new KubeError('quota', { code: 403, reason: 'Forbidden' }))
  await absorb(head(B))
  expect(await absorb(head(C))).toEqual([])
  expect(shown(intake.state)).toEqual({ fleet: 'c', observed: 'c' })
})

test('intake hears that the repository cannot be read while the server refuses to keep a commit', async () => {
  const { intake, absorb, state } = anIntake({ kept: A })
  state.failures.push(new KubeError('quota', { code: 403, reason: 'Forbidden' }))
  await absorb(head(B))
  await absorb(trouble)
  expect(intake.state).toMatchObject({ problem: `commit "${B}" cannot be stored: quota`, trouble: 'away' })
})

const AWAY = () => new KubeError('away', { code: 0, reason: 'Unreachable' })

test('a server that is away says nothing of the commit, which is tried again when the server is there again', async () => {
  const { intake, absorb, state, clock } = anIntake({ kept: A })
  state.failures.push(AWAY())
  expect(await absorb(head(B))).toEqual([AWAY()])
  expect(shown(intake.state)).toEqual({ fleet: 'a', observed: 'a', unread: true })
  expect(intake.wakeAt).toBe(10_000)
  clock.now = 6_000
  clock.restoredAt = 6_000
  await absorb()
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b' })
})

test('a commit whose write has no answer for 30 seconds is not accepted, and that is told until it is stored', async () => {
  const { intake, absorb, state, clock } = anIntake({ kept: A })
  state.failures.push(AWAY(), AWAY(), AWAY(), AWAY())
  await absorb(head(B))
  for (clock.now = 10_000; clock.now < 30_000; clock.now += 10_000) await absorb()
  expect(intake.state.problem).toBe(undefined)
  await absorb()
  expect(intake.state.problem).toBe(`commit "${B}" cannot be stored: away`)
  clock.now = 40_000
  await absorb()
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b' })
})

test('the server may be away for the commit that was read after one whose write had no answer', async () => {
  const { intake, absorb, state, clock } = anIntake({ kept: A })
  state.failures.push(AWAY(), AWAY())
  await absorb(head(B))
  clock.now = 60_000
  await absorb(head(C))
  expect(intake.state.problem).toBe(undefined)
})

test('a lost commit that the repository has is used though the server gives no answer to its write', async () => {
  const { intake, absorb, state } = anIntake({ kept: A, remembered: B })
  state.failures.push(AWAY(), AWAY())
  expect(await absorb(head(B))).toEqual([AWAY()])
  expect(shown(intake.state)).toEqual({ fleet: 'b', observed: 'b' })
})
