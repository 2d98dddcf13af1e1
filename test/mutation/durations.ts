import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How long test files took when they last ran, in milliseconds, as vitest keeps it. */
export function lastDurations(root: string): ReadonlyMap<string, number> {
  const found = globSync('node_modules/.vite/vitest/*/results.json', { cwd: root })
  return new Map(found.flatMap((path) => durationsIn(readFileSync(join(root, path), 'utf8'))))
}

/** Of another version of vitest nothing is known: then all files count as short. */
export function durationsIn(text: string): readonly (readonly [test: string, milliseconds: number])[] {
  const { projects = {} } = JSON.parse(text) as { readonly projects?: Readonly<Record<string, Project>> }
  const files = Object.values(projects).flatMap(({ files = {} }) => Object.entries(files))
  return files.map(([test, { duration = 0 }]) => [test, duration] as const)
}

interface Project {
  readonly files?: Readonly<Record<string, { readonly duration?: number }>>
}
