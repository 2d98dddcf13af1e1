import { expect, test } from 'vitest'
import type { CompiledFleet } from '../../../src/controller/fleet/compiled-fleet.ts'
import type { FailedPool } from '../../../src/controller/revert/failed-commits.ts'
import { prepareRevert, type RevertSources } from '../../../src/controller/revert/prepare-revert.ts'
import type { RepoSnapshot } from '../../../src/protocol/repo-snapshot.ts'

const [OLDER, GOOD, BAD, HEAD] = ['1', '2', '3', '4'].map((digit) => digit.repeat(40)) as [string, string, string, string]

/** Its content is that of its file; it has several where a test wants many. */
function aFleet(commit: string, content: string, more: Readonly<Record<string, string>> = {}): CompiledFleet {
  const files = Object.entries({ 'pool.yaml': content, ...more }).map(([path, text]) => [
    path,
    { kind: 'file', bytes: Buffer.from(text) },
  ])
  const pools = new Map([['workers', { fingerprint: `of ${content}` }]])
  return { commit, files: new Map(files as never), pools, problems: [] } as never as CompiledFleet
}

function failedPool(name = 'workers', content = 'good'): FailedPool {
  return {
    pool: { name, uid: 'u', status: {} },
    failed: { revision: BAD, fingerprint: 'of bad' },
    stable: { revision: OLDER, fingerprint: `of ${content}` },
    ...{ message: 'nodes failed', goesBack: true, nodes: [] },
  }
}

interface Draft {
  /** The newest first. */
  readonly kept?: readonly CompiledFleet[]
  readonly head?: CompiledFleet | undefined
  readonly failed?: readonly FailedPool[]
  readonly problems?: readonly string[]
}

async function prepared({ problems = [], ...draft }: Draft = {}) {
  const [older, good, bad] = [aFleet(OLDER, 'older'), aFleet(GOOD, 'good'), aFleet(BAD, 'bad')]
  const { kept = [bad, good, older], failed = [failedPool()] } = draft
  const head = 'head' in draft ? draft.head : aFleet(HEAD, 'bad')
  const compiled: RepoSnapshot[] = []
  const sources = {
    library: {
      kept: () => kept.map(({ commit }) => commit),
      get: async (commit) => kept.find((fleet) => fleet.commit === commit),
    },
    store: { load: async (commit) => ({ commit }) as never },
    head: () => ({ fleet: head }) as never,
    compile: (snapshot) => {
      compiled.push(snapshot)
      const file = snapshot.files.get('pool.yaml')
      return { ...aFleet(HEAD, file?.kind === 'file' ? Buffer.from(file.bytes).toString() : ''), problems }
    },
  } satisfies RevertSources
  const result = await prepareRevert(sources, { failed, revision: BAD, context: 'nodewave', folder: 'fleet' })
  return { result, compiled }
}

const NOT_KEPT = 'the commit before it is not kept in the cluster'
const many = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.yaml`, text]))
/** So many files changed in the commit that failed, and once more since. */
const changed = (count: number): Draft => ({
  kept: [aFleet(BAD, 'good', many(count, 'bad')), aFleet(GOOD, 'good', many(count, 'good'))],
  head: aFleet(HEAD, 'good', many(count, 'newer')),
})

test.each<readonly [what: string, draft: Draft, reason: string]>([
  ['no commit is accepted', { head: undefined }, NOT_KEPT],
  ['what failed is not kept', { kept: [aFleet(GOOD, 'good'), aFleet(OLDER, 'good')] }, NOT_KEPT],
  ['what came before is not kept', { kept: [aFleet(BAD, 'bad')] }, NOT_KEPT],
  ['no pool failed', { failed: [] }, NOT_KEPT],
  [
    'no file differs',
    { kept: [aFleet(BAD, 'good'), aFleet(GOOD, 'good')] },
    'no file differs: it failed with other contents of Secrets',
  ],
  ['the file changed since', { head: aFleet(HEAD, 'newer') }, 'files changed again since: pool.yaml'],
  ['five files changed since', changed(5), 'files changed again since: 0.yaml, 1.yaml, 2.yaml, 3.yaml, 4.yaml'],
  ['six files changed since', changed(6), 'files changed again since: 0.yaml, 1.yaml, 2.yaml, 3.yaml, 4.yaml and 1 more'],
  ['the fleet would be invalid', { problems: ['a', 'b'] }, 'the fleet would be invalid: a'],
  [
    'the pool would have other content',
    { kept: [aFleet(BAD, 'bad'), aFleet(OLDER, 'other')] },
    'the pool would have other content than the one that it completed',
  ],
])('there is no revert when %s', async (_, draft, reason) => {
  expect((await prepared(draft)).result).toEqual({ reason })
})

test('a revert gives the file the content of the newest commit before that had what the pool completed', async () => {
  const { result, compiled } = await prepared({ kept: [aFleet(BAD, 'bad'), aFleet(GOOD, 'good'), aFleet(OLDER, 'older')] })
  expect('files' in result && result.files.map(({ path, before, after }) => [path, text(before), text(after)])).toEqual([
    ['fleet/pool.yaml', 'bad', 'good'],
  ])
  expect(compiled).toMatchObject([{ commit: HEAD, accepted: true }])
})

test('a commit after the one that failed is not what is brought back, though it has the content', async () => {
  const again = aFleet(HEAD, 'good', { 'other.yaml': 'newer' })
  const { result } = await prepared({ kept: [again, aFleet(BAD, 'bad'), aFleet(GOOD, 'good')] })
  expect('text' in result && result.text.body).toContain(`as they were at ${GOOD}`)
  expect('text' in result && result.text.body).not.toContain('It does not bring back')
})

test('a revert that brings back one pool of two says which one it does not', async () => {
  const { result } = await prepared({ failed: [failedPool(), failedPool('gpu', 'other')] })
  expect('text' in result && result.text.body).toContain('It does not bring back all that <code>gpu</code> ran before.')
})

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString()
}
