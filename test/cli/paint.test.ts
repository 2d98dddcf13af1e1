import { expect, test } from 'vitest'
import { foldAt, folded, shownChange } from '../../src/cli/paint.ts'

test('folded breaks a line between words and indents what follows', () => {
  expect(folded('  ✗ one two three four', { columns: 12, by: 2 })).toBe('  ✗ one two\n    three\n    four')
})

test('folded leaves a line that fits as it is', () => {
  expect(folded('1. one two', { columns: 10 })).toBe('1. one two')
})

test('folded gives a word that is too long a line of its own', () => {
  expect(folded('a unix:///run/containerd.sock b', { columns: 10 })).toBe('a\nunix:///run/containerd.sock\nb')
})

test('text is folded for a terminal alone, and can be searched by line elsewhere', () => {
  expect(foldAt({ isTTY: true, columns: 80 })).toBe(80)
  expect(folded('one two three', { columns: foldAt({ isTTY: false, columns: 8 }) })).toBe('one two three')
})

test('a change of a long text is shown from shortly before what differs', () => {
  const text = (end: string): string => `${'This file is managed. '.repeat(5)}${end}`
  expect(shownChange({ from: text('Reverted.'), to: text('Kept.') })).toEqual([
    '…is file is managed. Reverted.',
    '…is file is managed. Kept.',
  ])
  expect(shownChange({ from: `a${'x'.repeat(80)}`, to: undefined })).toEqual([`a${'x'.repeat(58)}…`, '-'])
  expect(shownChange({ from: 110, to: 250 })).toEqual(['110', '250'])
})
