import { expect, test } from 'vitest'
import { formatAskedBy, parseAskedBy } from '../../src/protocol/asked-by.ts'

test('a signature is a name and a date, and reads back', () => {
  const signed = { who: 'oidc:Ada Lovelace', at: '2026-11-21T08:00:00Z' }

  expect(formatAskedBy(signed)).toBe('oidc:Ada Lovelace 2026-11-21T08:00:00Z')
  expect(parseAskedBy('oidc:Ada Lovelace 2026-11-21T08:00:00Z')).toEqual(signed)
})

test('what is no signature is none', () => {
  const texts = [
    undefined,
    '',
    'ada',
    '2026-11-21T08:00:00Z',
    'ada yesterday',
    'ada 2026-13-41T08:00:00Z',
    `${'a'.repeat(300)} x`,
  ]

  expect(texts.map(parseAskedBy)).toEqual(texts.map(() => undefined))
})
