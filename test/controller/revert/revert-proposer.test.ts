import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RevertPool } from '../../../src/controller/revert/failed-commits.ts'
import { RevertProposer } from '../../../src/controller/revert/revert-proposer.ts'
import { branchOf, markerOf } from '../../../src/controller/revert/revert-text.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { TestClock } from '../test-clock.ts'
import { aPlace, FakeForge } from './fake-forge.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]
const [BRANCH, MARKER] = [branchOf({ context: 'nodewave', commit: B }), markerOf({ context: 'nodewave', commit: B })]
const ref = (revision: string) => ({ revision, fingerprint: `of ${revision}` })

function aPool(is: 'True' | 'False', more: Partial<NodePoolStatus> = {}, name = 'workers'): RevertPool {
  const ready = { type: 'Ready', status: is, reason: 'Completed', message: '', lastTransitionTime: '' } as const
  return { name, uid: 'u', status: { conditions: [ready], stable: ref(A), ...more } }
}

const rejected = { rejected: [ref(B)] }

/** One controller whose newest commit is C, or what is given; nothing of what failed is kept in the cluster. */
async function aRound({ pools, head = C, observed = C }: { pools: readonly RevertPool[]; head?: string; observed?: string }) {
  const [clock, forge, ending] = [new TestClock(), new FakeForge(), new AbortController()]
  const said: string[] = []
  forge.requests.set(BRANCH, { number: 7, url: 'pulls/7', isOpen: true, body: `${MARKER}\n\ntext` })
  const now = { pools }
  const fleet = { commit: head, pools: new Map([['workers', { fingerprint: `of ${head}` }]]) }
  const state = () => ({ fleet, observed }) as never
  const proposer = new RevertProposer({
    place: aPlace(forge),
    sources: { library: { get: async () => undefined, kept: () => [] }, head: state } as never,
    pools: () => now.pools,
    head: state,
    tell: async (events) => void said.push(...events.map(({ reason, object }) => `${reason} ${object.name}`)),
    clock,
    log: (level, message) => void said.push(`${level}: ${message}`),
  })
  const run = proposer.run(ending.signal)
  await turn()
  /** Another round. */
  const again = async (next: readonly RevertPool[]) => {
    now.pools = next
    proposer.fire()
    clock.advance(1_000)
    await turn()
  }
  const end = async () => {
    ending.abort()
    await run
  }
  return { forge, said, again, end }
}

const CLOSED = [`find ${BRANCH}`, 'close 7']

test.each<readonly [what: string, pools: readonly RevertPool[], asked: readonly string[]]>([
  ['the pool that rejects its commit is Ready at another one', [aPool('True', rejected)], CLOSED],
  ['the pool that rejects its commit is not Ready', [aPool('False', rejected)], []],
  ['a pool that does not reject it is not Ready', [aPool('True', rejected), aPool('False', {}, 'gpu')], CLOSED],
  ['one of two pools that reject it is not Ready', [aPool('True', rejected), aPool('False', rejected, 'gpu')], []],
  ['no pool rejects anything', [aPool('True')], []],
])('a pull request is closed, or not, when %s', async (_, pools, asked) => {
  const { forge, end } = await aRound({ pools })
  expect(forge.asked).toEqual(asked)
  await end()
})

test('nothing is asked of the forge while the newest commit is not accepted', async () => {
  const { forge, end } = await aRound({ pools: [aPool('True', rejected)], observed: B })
  expect(forge.asked).toEqual([])
  await end()
})

test('a pull request is closed once, and the log says so', async () => {
  const { forge, said, again, end } = await aRound({ pools: [aPool('True', rejected)] })
  await again([aPool('True', rejected)])
  expect(forge.asked).toEqual(CLOSED)
  expect(forge.requests.get(BRANCH)).toMatchObject({ isOpen: false })
  expect(said).toEqual(['info: closed pulls/7: the pools are Ready at "cccccccccccc"'])
  await end()
})

test('a commit that somebody retries after its pull request was looked for waits for all pools', async () => {
  const { forge, again, end } = await aRound({ pools: [aPool('False', rejected, 'workers')], head: B, observed: B })
  expect(forge.asked).toEqual([`find ${BRANCH}`])
  await again([aPool('True'), aPool('False', {}, 'gpu')])
  expect(forge.asked).toEqual([`find ${BRANCH}`])
  await again([aPool('True'), aPool('True', {}, 'gpu')])
  expect(forge.asked).toEqual([`find ${BRANCH}`, ...CLOSED])
  await end()
})

test('a pull request is left as it is when people merge it after it was found open', async () => {
  const { forge, said, again, end } = await aRound({ pools: [aPool('False', rejected)], head: B, observed: B })
  const merged = { number: 7, url: 'pulls/7', isOpen: false, body: `${MARKER}\n\ntext` }
  forge.requests.set(BRANCH, merged)
  for (let round = 0; round < 2; round += 1) await again([aPool('True')])
  expect(forge.requests.get(BRANCH)).toEqual(merged)
  expect(forge.asked).toEqual([`find ${BRANCH}`, `find ${BRANCH}`])
  expect(said).toEqual([])
  await end()
})

test('a commit that cannot be reverted is told of once, as a warning', async () => {
  const { forge, said, again, end } = await aRound({ pools: [], head: B, observed: B })
  forge.requests.clear()
  for (let round = 0; round < 2; round += 1) await again([aPool('False', rejected)])
  const message = 'no pull request reverts "bbbbbbbbbbbb": the commit before it is not kept in the cluster; revert it by hand'
  expect(said).toEqual([`warn: revert pull requests: ${message}`, 'RevertNotProposed workers'])
  await end()
})
