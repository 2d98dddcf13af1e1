import type { PlannedPackage } from '../rpm/planned.ts'

const SECTIONS: readonly (readonly [RegExp, PlannedPackage['to'] | undefined])[] = [
  [/^Installing\b.*:$/, 'installed'],
  [/^(?:Upgrading|Downgrading|Reinstalling):$/, 'replaced'],
  [/^Removing\b.*:$/, 'removed'],
  [/^\S.*:$/, undefined],
  [/^Transaction Summary/, undefined],
]
/** Sizes are "6.5 k" of dnf 4, and "6.5 KiB" of dnf 5. */
const ROW = /^ (\S+)\s+(\S+)\s+(\S+)\s+\S+\s+[\d.]+\s*(?:[kMGT]|[KMGT]?i?B)?\s*$/
/** Of a row whose name is too long for the column. */
const NAME_ONLY = /^ (\S+)$/
const REPLACED = /^\s+replacing\s+(\S+)\.(\S+)\s+(\S+)\s*$/
/** Of dnf 5, also for the version before. */
const REPLACED_ROW = /^\s+replacing\s+(\S+)\s+(\S+)\s+(\S+)\s+\S+\s+[\d.]+\s*\S*\s*$/

/** Pure: reads the table in which dnf says what it is going to do. */
export function parseTransaction(output: string): PlannedPackage[] {
  const planned: PlannedPackage[] = []
  let to: PlannedPackage['to'] | undefined
  let start = ''
  for (const line of output.split('\n')) {
    const section = SECTIONS.find(([heading]) => heading.test(line))
    if (section !== undefined) {
      to = section[1]
      start = ''
      continue
    }
    const replaced = rowOf(REPLACED.exec(line) ?? REPLACED_ROW.exec(line), 'removed')
    if (replaced !== undefined && replaced.name !== planned.at(-1)?.name) planned.push(replaced)
    if (replaced !== undefined) continue
    const row = to && rowOf(ROW.exec(`${start}${line}`), to)
    if (row !== undefined) planned.push(row)
    start = NAME_ONLY.test(line) ? line : ''
  }
  return planned
}

function rowOf(match: RegExpExecArray | null, to: PlannedPackage['to']): PlannedPackage | undefined {
  const [, name, architecture, version] = match ?? []
  if (!name || !architecture || !version) return undefined
  // dnf 5 writes an epoch that is none.
  return { name, architecture, version: version.replace(/^0:/, ''), to }
}

/** Pure: no repository has the package, or not in this version. */
export function isUnknownPackage(output: string): boolean {
  return /Unable to find a match|No match for argument|No packages marked for reinstall|not available\.$/m.test(output)
}

/** Pure: ids of repositories that did not answer. */
export function missedRepositories(output: string): string[] {
  const byDnf4 = output.matchAll(/Failed to download metadata for repo '([^']+)'/g)
  // dnf 5 shows how far it came with each repository, and then what went wrong.
  const byDnf5 = output.matchAll(/^ (\S.*?)\s+(?:\?\?\?% \||\d+% \|.*\nError: )/gm)
  return [...byDnf4, ...byDnf5].flatMap(([, id]) => id ?? [])
}
