import { asFields, visitMembers } from '../../../src/repo/checks/pool-settings.ts'
import type { Question } from './questions.ts'

/** Paths and values, flags on top. */
export function settingsOfDocument({ config = {}, flags = {} }: Question, version: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  visitMembers(config, (path, value) => found.set(path.join('.'), value))
  for (const [name, value] of Object.entries(flags))
    for (const [path, member] of asFields(name, value, version)) found.set(path, member)
  return found
}
