import { expect, test } from 'vitest'
import { formatProblem, type Problem, problemToJson } from '../../src/repo/problem.ts'

const place = { file: 'pools/workers.yaml', line: 14, column: 16, text: '      version: 1.30', width: 4 }
const problem: Problem = { severity: 'error', reason: 'InvalidValue', at: place, message: 'expected a string' }

test('formatProblem shows the place, the source with carets, the message and the remedy', () => {
  expect(formatProblem({ ...problem, remedy: 'write  version: "1.30.0"' })).toBe(
    `pools/workers.yaml:14:16  version: 1.30
                                   ^^^^
  expected a string
  write  version: "1.30.0"`,
  )
})

test('formatProblem names those who use the place', () => {
  expect(
    formatProblem({
      ...problem,
      usedBy: [
        { file: 'a.yaml', line: 1, column: 2 },
        { file: 'b.yaml', line: 3, column: 4 },
      ],
    }),
  ).toContain('\n  used by a.yaml:1:2, b.yaml:3:4')
})

test('formatProblem says warning when it is one', () => {
  expect(formatProblem({ ...problem, severity: 'warning' }).split('\n')[2]).toBe('  warning: expected a string')
})

test('formatProblem cuts a long line around the place', () => {
  const at = { ...place, column: 501, text: `${'a'.repeat(500)}HERE${'b'.repeat(500)}`, width: 4 }
  const [line = '', carets = ''] = formatProblem({ ...problem, at }).split('\n')

  expect(line).toBe(`pools/workers.yaml:14:501  …${'a'.repeat(25)}HERE${'b'.repeat(22)}…`)
  expect(line.slice(carets.indexOf('^'), carets.length)).toBe('HERE')
})

test('formatProblem lets no control character of the repository through to a terminal', () => {
  const text = formatProblem({
    ...problem,
    at: { ...place, file: 'a\u001b[2J.yaml', text: 'x: \u001b[31mred\u202e' },
    message: 'no "\u0007"',
  })

  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
})

test('problemToJson is flat and says what was found', () => {
  expect(problemToJson(problem)).toEqual({
    severity: 'error',
    reason: 'InvalidValue',
    file: 'pools/workers.yaml',
    line: 14,
    column: 16,
    found: '1.30',
    message: 'expected a string',
    remedy: undefined,
    usedBy: undefined,
  })
})
