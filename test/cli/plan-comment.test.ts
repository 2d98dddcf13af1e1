import { expect, test } from 'vitest'
import { planComment } from '../../src/cli/plan/plan-comment.ts'
import { code, escaped } from '../../src/forge/pull-request/markdown.ts'

const parts = {
  context: 'nodewave/plan',
  verdict: { passes: true, text: '2 of 3 nodes change; @team' },
  details: '### Plan\n\n| a | b |\n|---|---|\n| 1 | ä |\n',
  head: 'abcdef0123456789',
  job: 'https://ci.example.com/7',
}

test('the comment has a marker, the verdict, the plan and where it comes from', () => {
  expect(planComment(parts, 10_000)).toBe(`<!-- nodewave plan: nodewave/plan -->
**Passes:** 2 of 3 nodes change; &#64;&#8203;team

### Plan

| a | b |
|---|---|
| 1 | ä |

---
<code>nodewave/plan</code> of commit <code>abcdef0</code> by [this job](https://ci.example.com/7)
`)
})

test('a failing verdict shows at once', () => {
  const verdict = { passes: false, text: 'the fleet is invalid' }
  expect(planComment({ ...parts, verdict }, 10_000)).toContain('-->\n**Fails:** the fleet is invalid\n')
})

test('a plan that is too long is cut between lines, to the bytes that the forge takes', () => {
  const details = Array.from({ length: 5000 }, (_, n) => `| row ${n} | äöü |`).join('\n')
  const comment = planComment({ ...parts, details }, 65_536)
  expect(Buffer.byteLength(comment)).toBeLessThanOrEqual(65_536)
  expect(Buffer.byteLength(comment)).toBeGreaterThan(65_400)
  const lines = comment.split('\n')
  expect(lines.filter((line) => line.startsWith('| row')).every((line) => line.endsWith(' | äöü |'))).toBe(true)
  expect(comment).toContain(
    '**The rest is left out: the comment would be too long.** The whole plan is in the output and the artefacts of [the job](https://ci.example.com/7).\n\n---\n',
  )
})

test('outside of CI the rest is in the output of the command', () => {
  const details = 'line\n'.repeat(500)
  expect(planComment({ ...parts, details, job: undefined }, 600)).toContain('The whole plan is in the output of the command.\n')
})

test.each([
  ['mentions nobody', 'ask @team', 'ask &#64;&#8203;team'],
  [
    'refers to no issue, merge request or label',
    '#1 !2 ~three $4 %5',
    '&#35;&#8203;1 !&#8203;2 &#126;&#8203;three $&#8203;4 %&#8203;5',
  ],
  ['links nowhere', 'see https://x.example or www.x.example', 'see https:&#8203;//x.example or www&#8203;.x.example'],
  ['is no command of GitLab', 'value\n/merge', 'value /merge'],
  ['is no markup', '<b>|`x`', '&#60;b&#62;&#124;&#96;x&#96;'],
  [
    'hides nothing and is not turned around',
    'a\u202eb\u200bc\u001b[31m',
    'a&#92;u&#123;202e&#125;b&#92;u&#123;200b&#125;c&#92;u&#123;1b&#125;&#91;31m',
  ],
  ['stays as it is otherwise', '100% of 3, a: b!', '100% of 3, a: b!'],
])('text of the repository %s', (_, text, shown) => {
  expect(escaped(text)).toBe(shown)
})

test('within code text can be copied as it is', () => {
  expect(code('--taint=a@b#1')).toBe('<code>--taint=a&#64;b&#35;1</code>')
})

test('text within code links nowhere', () => {
  expect(code('see https://x.example or www.x.example')).toBe('<code>see https&#58;//x.example or www&#46;x.example</code>')
})

test('a verdict of any length leaves room for the rest of the comment', () => {
  const verdict = { passes: false, text: '<'.repeat(100_000) }
  const comment = planComment({ ...parts, verdict }, 65_536)
  expect(Buffer.byteLength(comment)).toBeLessThanOrEqual(65_536)
  expect(comment).toContain('### Plan\n')
  expect(comment).toContain('of commit <code>abcdef0</code>')
})
