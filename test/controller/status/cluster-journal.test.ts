import { expect, test } from 'vitest'
import type { NodePoolView } from '../../../src/controller/cache/node-pool-view.ts'
import { ObjectCache } from '../../../src/controller/cache/object-cache.ts'
import { ClusterJournal } from '../../../src/controller/status/cluster-journal.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'

const view = (resourceVersion: string) =>
  ({ name: 'workers', namespace: '', uid: 'u', resourceVersion, status: {} }) as NodePoolView
const status = { rejected: [] } as never as NodePoolStatus
const work = { compiled: { name: 'workers' }, decision: { actions: [], status, events: [] }, now: 1_000 } as never

interface Draft {
  readonly isMirrored?: boolean
  readonly isKept?: boolean
  readonly isNews?: boolean
  readonly isOpen?: boolean
  readonly isConfirmed?: boolean
  readonly undoes?: 'edit' | 'deletion'
}

/** The parts of a pool in the cluster; what is done to them, in order. */
function aJournal({ isMirrored = true, isKept = true, isNews = false, isOpen = false, isConfirmed = true, undoes }: Draft = {}) {
  const did: string[] = []
  const shown: object[] = []
  const pools = new ObjectCache<NodePoolView>(() => undefined)
  pools.observe({ type: 'sync', items: [view('1')] })
  const mirror = {
    isMirrored: () => isMirrored,
    mirror: async () => {
      did.push('mirror')
      return { ...(undoes && { undoes }) }
    },
  }
  const statuses = {
    completed: (view: NodePoolView) => view,
    dueAt: () => 5_000,
    isNews: () => isNews,
    write: async (_: string, written: { readonly status: object }) => {
      did.push('write')
      shown.push(written.status)
    },
  }
  const rejections = { isKept: () => isKept, keep: async () => void did.push('keep') }
  const events = {
    recordOnce: async (all: readonly { reason: string }[]) => void did.push(`events ${all.map(({ reason }) => reason)}`),
  }
  const steps = {
    isOpen: () => isOpen,
    confirm: async () => {
      did.push('confirm')
      return isConfirmed
    },
  }
  const journal = new ClusterJournal({
    pools,
    mirror,
    statuses,
    rejections,
    events,
    steps,
    failures: { mayTry: () => true },
  } as never)
  return { journal, did, shown, pools, statuses }
}

test.each<readonly [what: string, draft: Draft, dueAt: number, isNews: boolean]>([
  ['is due when its status is', {}, 5_000, false],
  ['is news when its status is', { isNews: true }, 5_000, true],
  ['is due at once, and news, when its spec is not that of the repository', { isMirrored: false }, 1_000, true],
  ['is due at once, and news, when what it rejected is not kept elsewhere', { isKept: false }, 1_000, true],
  ['is due at once, and news, when neither is', { isMirrored: false, isKept: false }, 1_000, true],
])('what is to be written of a pool %s', (_, draft, dueAt, isNews) => {
  const { journal } = aJournal(draft)
  expect([journal.dueAt('workers', work), journal.isNews('workers', work)]).toEqual([dueAt, isNews])
})

test.each<readonly [what: string, draft: Draft, isWritten: boolean, did: readonly string[]]>([
  ['its status', {}, true, ['write', 'events ']],
  ['its spec alone when that is not of the repository', { isMirrored: false }, false, ['mirror']],
  [
    'its spec, and an event when that undoes an edit',
    { isMirrored: false, undoes: 'edit' },
    false,
    ['mirror', 'events SpecRestored'],
  ],
  [
    'its object, and an event when that undoes a deletion',
    { isMirrored: false, undoes: 'deletion' },
    false,
    ['mirror', 'events NodePoolRestored'],
  ],
])('of a pool is written %s', async (_, draft, isWritten, expected) => {
  const { journal, did } = aJournal(draft)
  expect(await journal.write('workers', work)).toBe(isWritten)
  expect(did).toEqual(expected)
})

test.each([true, false])(
  'the nodes of a pool are as the decision has seen them when the step to its status is confirmed: %s',
  async (isConfirmed) => {
    const { journal, did } = aJournal({ isConfirmed })
    expect(await journal.confirm('workers', work)).toBe(isConfirmed)
    expect(did).toEqual(['confirm'])
  },
)

test.each([true, false])('the nodes of a pool are to be read before its status is written when that is a step: %s', (isOpen) => {
  expect(aJournal({ isOpen }).journal.isOpen('workers', work)).toBe(isOpen)
})

test('a pool counts as having the status that is being written, until it changes in the cache or the write has ended', async () => {
  const { journal, pools } = aJournal()
  expect(journal.viewOf('workers')).toEqual(view('1'))
  journal.assume('workers', status)
  expect(journal.viewOf('workers')).toEqual({ ...view('1'), status })
  pools.observe({ type: 'sync', items: [view('2')] })
  expect(journal.viewOf('workers')).toEqual(view('2'))
  journal.assume('workers', status)
  await journal.write('workers', work)
  journal.withdraw('workers')
  expect(journal.viewOf('workers')).toEqual(view('2'))
})

test('a pool that is not there yet is not taken for one that has a status', () => {
  const { journal } = aJournal()
  journal.assume('other', status)
  expect(journal.viewOf('other')).toBeUndefined()
})

test('a status that its nodes have confirmed counts as confirmed while the server refuses it, for this NodePool alone', async () => {
  const refused = new Error('no')
  const { journal, pools, statuses } = aJournal()
  statuses.write = async () => Promise.reject(refused)
  expect(journal.confirmedOf('workers')).toEqual({})
  await expect(journal.write('workers', work)).rejects.toBe(refused)
  expect([journal.confirmedOf('workers'), journal.viewOf('workers')]).toEqual([status, view('1')])
  pools.observe({ type: 'sync', items: [{ ...view('2'), uid: 'other' }] })
  expect(journal.confirmedOf('workers')).toEqual({})
})

test('a status that is written counts as confirmed when the cache has it', async () => {
  const { journal } = aJournal()
  await journal.write('workers', work)
  expect(journal.confirmedOf('workers')).toEqual({})
})

test('a status that is shown while nothing is decided is written as the server will have it, when a text was cut in the middle of an emoji', async () => {
  const { journal, shown } = aJournal()
  await journal.show('workers', { status: { summary: { revision: '🚀'.slice(0, 1) } } as never, now: 1_000 })
  expect(shown).toEqual([{ summary: { revision: '�' } }])
})
