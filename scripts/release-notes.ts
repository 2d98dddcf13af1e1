/** Prints what CHANGELOG.md says of a version: `node scripts/release-notes.ts 1.2.3`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @throws {Error} when the changelog has no such version */
export function releaseNotes(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`${version} (`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no "## ${version} (DATE)": rename "Unreleased"`)
  return `${section.slice(section.indexOf('\n')).trim()}\n`
}

if (import.meta.main)
  process.stdout.write(releaseNotes(readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8'), process.argv[2] ?? ''))
