import { expect, test } from 'vitest'
import { formatRequestedBy, parseRequestedBy } from '../../src/protocol/requested-by.ts'

test('a signature is a name and a date, and reads back', () => {
  const signed = { who: 'oidc:Ada Lovelace', at: '2026-11-21T08:00:00Z' }

  expect(formatRequestedBy(signed)).toBe('oidc:Ada Lovelace 2026-11-21T08:00:00Z')
  expect(parseRequestedBy('oidc:Ada Lovelace 2026-11-21T08:00:00Z')).toEqual(signed)
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

  expect(texts.map(parseRequestedBy)).toEqual(texts.map(() => undefined))
})
