import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { commitsBetween } from '../../src/gitsync/commits-between.ts'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { type GitFixture, gitFixture } from './git-fixture.ts'

const SIZE = 60

/** A history of branches and merges, the same one for the same seed. @returns its commits, each after its parents */
async function history({ work, git }: GitFixture, { seed, date }: { seed: number; date: (n: number, random: number) => number }) {
  let state = seed
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  const commits = Array.from({ length: SIZE }, (_, n) => {
    const parents = n === 0 ? [] : [...new Set([n - 1 - Math.floor(random() * Math.min(n, 4)), Math.floor(random() * n)])]
    const [from, ...merged] = parents.slice(0, random() < 0.4 ? 2 : 1)
    const lines = [...(from === undefined ? [] : [`from :${from + 1}`]), ...merged.map((parent) => `merge :${parent + 1}`)].map(
      (line) => `${line}\n`,
    )
    const when = date(n, random())
    return `commit refs/heads/c${n}\nmark :${n + 1}\ncommitter Ada <a@b> ${when} +0000\ndata 0\n${lines.join('')}\n`
  })
  const importing = promisify(execFile)('git', ['fast-import', '--quiet'], { cwd: work })
  importing.child.stdin?.end(commits.join(''))
  await importing
  const ids = await git('rev-parse', ...commits.map((_, n) => `c${n}`))
  return ids.split('\n').filter(Boolean)
}

test.for([1, 2, 3])('commits between two are those of git rev-list when dates rise, history %i', async (seed) => {
  await using fixture = await gitFixture()
  const ids = await history(fixture, { seed, date: (n) => 1_700_000_000 + n })
  for (const [a, b] of [
    [59, 40],
    [58, 10],
    [50, 49],
    [30, 55],
    [59, 0],
  ] as const) {
    const [head = '', from = ''] = [ids[a], ids[b]]
    const expected = (await fixture.git('rev-list', head, `^${from}`)).split('\n').filter(Boolean)
    const found = await commitsBetween(objectStore(join(fixture.work, '.git')), { head, from })
    expect(found.kind === 'found' && found.commits.toSorted()).toEqual(expected.toSorted())
  }
})

test.for([4, 5, 6])('no commit between two is missing whatever its date, history %i', async (seed) => {
  await using fixture = await gitFixture()
  const ids = await history(fixture, { seed, date: (_, random) => 1_600_000_000 + Math.floor(random * 100_000_000) })
  for (const [a, b] of [
    [59, 40],
    [58, 10],
    [50, 49],
    [30, 55],
    [59, 0],
  ] as const) {
    const [head = '', from = ''] = [ids[a], ids[b]]
    const expected = (await fixture.git('rev-list', head, `^${from}`)).split('\n').filter(Boolean)
    const found = await commitsBetween(objectStore(join(fixture.work, '.git')), { head, from })
    expect(found.kind === 'found' && expected.filter((id) => !found.commits.includes(id))).toEqual([])
  }
})

test('more commits than are checked are not checked at all', async () => {
  await using fixture = await gitFixture()
  const ids = await history(fixture, { seed: 7, date: (n) => 1_700_000_000 + n })
  const store = objectStore(join(fixture.work, '.git'))
  expect(await commitsBetween(store, { head: ids[59] ?? '', from: ids[0] ?? '', limit: 10 })).toEqual({ kind: 'tooMany' })
})

test('commits whose parents are not there are unknown, unless they are old', async () => {
  await using fixture = await gitFixture()
  await fixture.commit('one')
  const two = await fixture.commit('two')
  const three = await fixture.commit('three')
  await fixture.git('clone', '--quiet', '--depth=2', `file://${fixture.work}`, join(fixture.folder, 'shallow'))
  const store = objectStore(join(fixture.folder, 'shallow', '.git'))
  expect(await commitsBetween(store, { head: three, from: two })).toEqual({ kind: 'found', commits: [three] })
  expect(await commitsBetween(store, { head: three, from: '1'.repeat(40) })).toEqual({ kind: 'unknown' })
})

test('a long branch that is found to come before the last commit after all of it was walked is left out', async () => {
  await using fixture = await gitFixture()
  const length = 9000
  const commit = (mark: number, [from, ...merged]: readonly number[], when: number) => {
    const parents = [from === undefined ? '' : `from :${from}\n`, ...merged.map((each) => `merge :${each}\n`)].join('')
    return `commit refs/heads/c${mark > length ? mark : 0}\nmark :${mark}\ncommitter Ada <a@b> ${when} +0000\ndata 0\n${parents}\n`
  }
  const [old, from, side, oldest, head] = [1, 2, 3, 4, 5].map((n) => length + n) as [number, number, number, number, number]
  const stream = [
    ...Array.from({ length }, (_, n) => commit(n + 1, n === 0 ? [] : [n], 1_900_000_000 + n)),
    commit(old, [length], 1_500_000_000),
    commit(from, [old], 1_500_000_001),
    commit(side, [length], 1_950_000_000),
    // As long as this one waits, those before the last commit are looked at.
    commit(oldest, [], 1_400_000_000),
    commit(head, [from, side, oldest], 1_950_000_001),
  ]
  const importing = promisify(execFile)('git', ['fast-import', '--quiet'], { cwd: fixture.work })
  importing.child.stdin?.end(stream.join(''))
  await importing
  const names = [head, from, side, oldest].map((mark) => `c${mark}`)
  const [headId = '', fromId = '', ...others] = (await fixture.git('rev-parse', ...names)).split('\n')
  const found = await commitsBetween(objectStore(join(fixture.work, '.git')), { head: headId, from: fromId })
  expect(found.kind === 'found' && found.commits.toSorted()).toEqual([headId, ...others].toSorted())
})

test('a commit with 16,000 parents is too many to look for the commits between', async () => {
  await using fixture = await gitFixture()
  const parents = Array.from({ length: 16_000 }, (_, n) => n + 1)
  const root = (mark: number) =>
    `reset refs/heads/c0\n\ncommit refs/heads/c0\nmark :${mark}\ncommitter Ada <a@b> ${1_700_000_000 + mark} +0000\ndata 0\n\n`
  const head = `commit refs/heads/c1\nmark :16001\ncommitter Ada <a@b> 1900000000 +0000\ndata 0\nfrom :1\n`
  const importing = promisify(execFile)('git', ['fast-import', '--quiet', '--force'], { cwd: fixture.work })
  const merged = parents.slice(1).map((mark) => `merge :${mark}\n`)
  importing.child.stdin?.end([...parents.map(root), head, ...merged, '\n'].join(''))
  await importing
  const [headId = '', from = ''] = (await fixture.git('rev-parse', 'c1', 'c1^1')).split('\n')
  expect(await commitsBetween(objectStore(join(fixture.work, '.git')), { head: headId, from })).toEqual({ kind: 'tooMany' })
})
