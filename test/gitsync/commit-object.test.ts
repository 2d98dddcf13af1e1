import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isDescendant } from '../../src/gitsync/ancestry.ts'
import { parseCommit } from '../../src/gitsync/commit-object.ts'
import { objectStore } from '../../src/gitsync/object-store.ts'
import { readCommit } from '../../src/gitsync/read-commit.ts'
import { gitFixture } from './git-fixture.ts'

const TREE = 'a'.repeat(40)

const ADA = 'Ada <ada@example.invalid> 1700000000 +0000'

function parsed({ author = ADA, committer = ADA, rest = '\nmessage\n' }) {
  return parseCommit(Buffer.from(`tree ${TREE}\nauthor ${author}\ncommitter ${committer}\n${rest}`, 'latin1'))
}

test.for([
  ['Ada <ada@example.invalid> 1700000000 +0000', { name: 'Ada', email: 'ada@example.invalid' }],
  ['<ada@example.invalid> 1700000000 +0000', { name: '', email: 'ada@example.invalid' }],
  ['Ada <> 1700000000 +0000', { name: 'Ada', email: '' }],
  ['Ada <x> <ada@example.invalid> 1700000000 +0000', { name: 'Ada <x>', email: 'ada@example.invalid' }],
  ['Ada <ada@example.invalid>', { name: 'Ada', email: 'ada@example.invalid' }],
  ['Ada\x1b[2J\x07 <ada@\x9bexample.invalid> 1 +0000', { name: 'Ada·[2J·', email: 'ada@�example.invalid' }],
  [`${'A'.repeat(1_000_000)} <${'a'.repeat(1_000_000)}> 1 +0000`, { name: 'A'.repeat(200), email: 'a'.repeat(200) }],
] as const)('a commit has the author %# that its line names, whatever is missing of it', ([author, expected]) => {
  expect(parsed({ author }).author).toEqual(expected)
})

test.for([
  ['Ada <a> 1700000000 +0000', 1_700_000_000_000],
  ['<a> 1700000000 +051800', 1_700_000_000_000],
  ['Ada <a>', 0],
  ['Ada <a> Thu +0000', 0],
  ['Ada <a> -5 +0000', 0],
  ['Ada <a> 99999999999999999999 +0000', 0],
] as const)('a commit was made when its committer says, or nobody knows: %s', ([committer, expected]) => {
  expect(parsed({ committer }).committedAt).toBe(expected)
})

test.for([
  ['\nfirst\n\nbody\n', 'first\n\nbody\n'],
  ['', ''],
  ['\na\tb\r\nc\x1b[31m\x07\n', 'a b\nc·[31m·\n'],
  ['encoding ISO-8859-1\n\nM\xfcnchen\n', 'München\n'],
  ['encoding no-such\n\nplain\n', 'plain\n'],
  [`gpgsig -----BEGIN\n abc\n \n -----END\n\nsigned\n`, 'signed\n'],
  [`\n${'m'.repeat(1_000_000)}`, 'm'.repeat(10_000)],
] as const)('a commit has its message %#, without what a terminal would obey', ([rest, expected]) => {
  expect(parsed({ rest }).message).toBe(expected)
})

test('a commit has the parents of its own header, and none that a merged tag names', () => {
  const own = 'b'.repeat(40)
  const rest = `mergetag object ${'c'.repeat(40)}\n type commit\n parent ${'d'.repeat(40)}\n\nparent ${'e'.repeat(40)}\n`
  const bytes = Buffer.from(`tree ${TREE}\nparent ${own}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n${rest}`)
  expect(parseCommit(bytes)).toMatchObject({ tree: TREE, parents: [own] })
})

test('a fleet is read, and its descent told, though a commit in its history has an author line that Git did not write', async () => {
  await using it = await gitFixture()
  const first = await it.commit('first', { 'fleet.yaml': 'one' })
  const tree = await it.git('rev-parse', 'HEAD^{tree}')
  const odd = `tree ${tree}\nparent ${first}\nauthor <ada@example.invalid> 1700000000 +0000\ncommitter cvs2git\n\nimported\n`
  const input = { cwd: it.work, input: odd, encoding: 'utf8' } as const
  const commit = spawnSync('git', ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], input).stdout.trim()
  const { files, ...about } = await readCommit(it.work, commit)
  expect([...files.keys()]).toEqual(['fleet.yaml'])
  expect(about).toEqual({
    commit,
    author: { name: '', email: 'ada@example.invalid' },
    committedAt: 0,
    message: 'imported\n',
    parents: [first],
  })
  expect(await isDescendant(objectStore(`${it.work}/.git`), { commit, from: first })).toBe('yes')
})

test('a commit with hundreds of thousands of parents, or of other lines, is read', () => {
  const parents = `parent ${'b'.repeat(40)}\n`.repeat(300_000)
  const rest = `author ${ADA}\ncommitter ${ADA}\n`
  expect(parseCommit(Buffer.from(`tree ${TREE}\n${parents}${rest}\nmessage\n`)).parents).toHaveLength(300_000)
  const other = parseCommit(Buffer.from(`tree ${TREE}\n${rest}${'x y\n'.repeat(3_000_000)}\nmessage\n`))
  expect([other.author.name, other.message]).toEqual(['Ada', 'message\n'])
})

test.for([
  ['no id', `tree ${TREE}\nparent ${'b'.repeat(39)}x\n`],
  ['more than an id', `tree ${TREE}\nparent ${'b'.repeat(40)} \n`],
  ['another parent behind that is none', `tree ${TREE}\nparent ${'b'.repeat(40)}\nparent ../x\n`],
  ['no tree', `parent ${'b'.repeat(40)}\n`],
  ['a tree that is cut off', 'tree aaaa'],
])('a commit with %s is refused', ([, headers]) => {
  expect(() => parseCommit(Buffer.from(`${headers}author ${ADA}\n\nmessage\n`))).toThrow('names its tree or its parents')
})
