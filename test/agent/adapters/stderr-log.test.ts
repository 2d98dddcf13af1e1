import { expect, test } from 'vitest'
import { textLine } from '../../../src/agent/adapters/stderr-log.ts'

test('a line of the log quotes what has spaces, and leaves out what is undefined', () => {
  expect(textLine('warn', 'Failed', { digest: 'v1:9f', error: 'no such file', needs: undefined })).toBe(
    'warning: Failed digest=v1:9f error="no such file"',
  )
})
