import type * as z from 'zod'

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'a map',
  record: 'a map',
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
}

/** What should have stood there. Our schemas say so themselves where the general words would not help. */
export function expectation(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith('expected ')) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => `"${String(value)}"`).join(', ')}`
    case 'too_small':
      return `expected at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `expected at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_union':
      return 'expected text, a number, true, false, null, a list or a map'
    case 'invalid_key':
      return issue.issues.map(expectation).join('; ')
    default:
      return issue.message
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' entries' : ''
}
