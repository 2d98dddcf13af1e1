import { expect, test } from 'vitest'
import { releaseNotes } from '../../scripts/release-notes.ts'

const CHANGELOG = `# Changelog

## Unreleased
- not yet

## 1.2.30 (2026-12-01)
- a later one

## 1.2.3 (2026-11-23)
### Security
- a fix

## 1.2.2 (2026-11-01)
- before
`

test('the notes of a release are its section of the changelog', () => {
  expect(releaseNotes(CHANGELOG, '1.2.3')).toBe('### Security\n- a fix\n')
})

test('a release without a section is refused with what to do', () => {
  expect(() => releaseNotes(CHANGELOG, '1.3.0')).toThrow('CHANGELOG.md has no "## 1.3.0 (DATE)": rename "Unreleased"')
})
