import { expect, test } from 'vitest'
import type { FailedPool } from '../../../src/controller/revert/failed-commits.ts'
import { branchOf, revertText } from '../../../src/controller/revert/revert-text.ts'

const [BAD, GOOD] = ['b'.repeat(40), 'a'.repeat(40)]
const ref = (revision: string) => ({ revision, fingerprint: revision })

function aFailure(name: string, message: string) {
  return {
    pool: { name, uid: '', status: {} },
    ...{ failed: ref(BAD), stable: ref(GOOD), message, goesBack: true },
    nodes: [{ node: 'n0', reason: 'HealthCheckFailed', message }],
  }
}

test('the pull request says which pool failed, on which node, and what the agent said', () => {
  const pools = [aFailure('workers', 'kubelet exited 3 times: unknown flag: --made-up')]
  const subject = { context: 'nodewave/staging', commit: BAD, good: GOOD, paths: ['pools/workers.yaml'], pools, unrepaired: [] }
  const { title, body } = revertText(subject)
  expect(title).toBe('Revert bbbbbbbbbbbb: it failed in workers')
  expect(body.split('\n').slice(0, 11)).toEqual([
    `<!-- nodewave revert: nodewave/staging ${BAD} -->`,
    '',
    `Commit ${BAD} failed. This change restores the files below as they were at ${GOOD}.`,
    '',
    'Pool <code>workers</code>:',
    '',
    '- <code>n0: HealthCheckFailed: kubelet exited 3 times: unknown flag: --made-up</code>',
    '',
    'Files:',
    '',
    '- <code>pools/workers.yaml</code>',
  ])
})

test('what an agent said becomes no markup, mention or command', () => {
  const pools = [aFailure('workers', '</code> @ops <img src=x>\n/merge')]
  const { body } = revertText({ context: 'nodewave', commit: BAD, good: GOOD, paths: ['a`b'], pools, unrepaired: [] })
  expect(body).not.toMatch(/@ops|<img|^\/merge|`/m)
})

test('a pool that the change does not bring back is named', () => {
  const pools = [aFailure('workers', ''), aFailure('gpu', '')]
  const { body } = revertText({ context: 'nodewave', commit: BAD, good: GOOD, paths: [], pools, unrepaired: ['gpu'] })
  expect(body).toContain('It does not bring back all that <code>gpu</code> ran before.')
})

test('the text says of a pool that stopped that nodes may run what failed', () => {
  const subject = { context: 'nodewave', commit: BAD, good: GOOD, paths: [], unrepaired: [] }
  const [back, stopped] = [aFailure('workers', ''), { ...aFailure('gpu', ''), goesBack: false }]
  const lastLine = (pools: FailedPool[]) =>
    revertText({ ...subject, pools })
      .body.split('\n')
      .at(-2)
  expect(lastLine([back])).toMatch(/^Pools return to what they completed before\./)
  expect(lastLine([stopped])).toMatch(/^<code>gpu<\/code>: stopped where it was, so nodes may still run what failed/)
  expect(lastLine([back, stopped])).toMatch(/^Pools return .* <code>gpu<\/code>: stopped/)
})

test('the text is no longer than what forges take, however much failed', () => {
  const nodes = Array.from({ length: 20 }, (_, index) => ({
    node: `n${index}`,
    reason: 'ApplyFailed',
    message: '_'.repeat(1000),
  }))
  const pools = Array.from({ length: 50 }, (_, index) => ({ ...aFailure(`pool-${index}`, ''), nodes }))
  const { body } = revertText({ context: 'nodewave', commit: BAD, good: GOOD, paths: ['a.yaml'], pools, unrepaired: [] })
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(60_000)
  expect(body).toContain('**The rest is left out')
  expect(body).toMatch(/Opened by the controller of nodewave.*\n$/)
})

test.each([
  ['prod', 'nodewave/revert-prod-bbbbbbbbbbbb'],
  ['nodewave/a..b', 'nodewave/revert-a-b-bbbbbbbbbbbb'],
  ['nodewave', 'nodewave/revert-bbbbbbbbbbbb'],
  ['nodewave/staging', 'nodewave/revert-staging-bbbbbbbbbbbb'],
  ['nodewave/a b~', 'nodewave/revert-a-b--bbbbbbbbbbbb'],
])('the branch of %s is %s', (context, branch) => {
  expect(branchOf({ context, commit: BAD })).toBe(branch)
})

const subjectOf = (names: readonly string[], more: { paths?: readonly string[]; unrepaired?: readonly string[] } = {}) => ({
  ...{ context: 'nodewave', commit: BAD, good: GOOD, paths: [], unrepaired: [] },
  ...more,
  pools: names.map((name) => aFailure(name, '')),
})
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`)

test('the title names three pools, and says that there are more', () => {
  const titleOf = (...names: string[]) => revertText(subjectOf(names)).title

  expect(titleOf('a', 'b', 'c')).toBe('Revert bbbbbbbbbbbb: it failed in a, b, c')
  expect(titleOf('a', 'b', 'c', 'd')).toBe('Revert bbbbbbbbbbbb: it failed in a, b, c, …')
})

test('the text lists twenty files and twenty pools that stay different, and counts the others', () => {
  const bodyOf = (count: number) => revertText(subjectOf(['a'], { paths: numbered(count), unrepaired: numbered(count) })).body

  expect(bodyOf(20)).not.toMatch(/and \d+ more/)
  expect(bodyOf(21)).toContain('- and 1 more')
  expect(bodyOf(21)).toContain('<code>x19</code> and 1 more ran before')
})

test('the text is cut with its end when it is one byte too long, and no sooner', () => {
  const pathsOf = (length: number) => [...numbered(19), 'y'.repeat(length)]
  const empty = Buffer.byteLength(revertText(subjectOf(['a'], { paths: pathsOf(1) })).body) - 1
  const bodyOf = (bytes: number) => revertText(subjectOf(['a'], { paths: pathsOf(bytes - empty) })).body

  expect(Buffer.byteLength(bodyOf(60_000))).toBe(60_000)
  expect(bodyOf(60_001)).toContain('**The rest is left out')
  expect(Buffer.byteLength(bodyOf(60_001))).toBeLessThan(60_000)
})
