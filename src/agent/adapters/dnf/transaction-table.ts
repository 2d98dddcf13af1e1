export interface PlannedPackage {
  readonly name: string
  readonly architecture: string
  readonly version: string
  readonly to: 'installed' | 'replaced' | 'removed'
}

const SECTIONS: readonly (readonly [RegExp, PlannedPackage['to'] | undefined])[] = [
  [/^Installing\b.*:$/, 'installed'],
  [/^(?:Upgrading|Downgrading|Reinstalling):$/, 'replaced'],
  [/^Removing\b.*:$/, 'removed'],
  [/^\S.*:$/, undefined],
  [/^Transaction Summary/, undefined],
]
const ROW = /^ (\S+)\s+(\S+)\s+(\S+)\s+\S+\s+[\d.]+\s*[kMGT]?\s*$/
/** Of a row whose name is too long for the column. */
const NAME_ONLY = /^ (\S+)$/
const REPLACED = /^\s+replacing\s+(\S+)\.(\S+)\s+(\S+)/

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
    const replaced = rowOf(REPLACED.exec(line), 'removed')
    if (replaced !== undefined) planned.push(replaced)
    const row = to && rowOf(ROW.exec(`${start}${line}`), to)
    if (row !== undefined) planned.push(row)
    start = NAME_ONLY.test(line) ? line : ''
  }
  return planned
}

function rowOf(match: RegExpExecArray | null, to: PlannedPackage['to']): PlannedPackage | undefined {
  const [, name, architecture, version] = match ?? []
  return name && architecture && version ? { name, architecture, version, to } : undefined
}

/** Pure: what dnf or rpm complained of, without what else they print. */
export function complaintOf(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const errors = lines.filter((line) => /^(?:Error:? \S|Problem|error: |RPM: error: |- |warning: %)/.test(line))
  const told = errors.length > 0 ? errors : lines.filter((line) => line !== '').slice(-3)
  return [...new Set(told)]
    .map((line) => line.replace(/^Error: /, '').replace(/^Problem(?: \d+)?: /, ''))
    .join('; ')
    .slice(0, 600)
}

/** Pure: no repository has the package, or not in this version. */
export function isUnknownPackage(output: string): boolean {
  return /Unable to find a match|No match for argument|No packages marked for reinstall|not available\.$/m.test(output)
}

/** Pure: ids of repositories that did not answer. */
export function missedRepositories(output: string): string[] {
  return [...output.matchAll(/Failed to download metadata for repo '([^']+)'/g)].flatMap(([, id]) => id ?? [])
}

/** Pure: rpm could not have its lock. */
export function isLocked(output: string): boolean {
  return /transaction lock/.test(output)
}

/** Pure: names of packages whose script failed, before or after they were unpacked. What a package leaves behind when it goes is not judged. */
export function failedScripts(output: string): string[] {
  const byDnf = output.matchAll(/Error in (?:PREIN|POSTIN|PRETRANS|POSTTRANS) scriptlet in rpm package (\S+)/g)
  const byRpm = output.matchAll(/%(?:pre|prein|post|pretrans|posttrans)\((\S+)-[^-\s]+-[^-\s]+\)(?: scriptlet failed|"\]:\d+: )/g)
  return [...new Set([...byDnf, ...byRpm].flatMap(([, name]) => name ?? []))]
}
