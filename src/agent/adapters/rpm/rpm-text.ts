/** Pure: what a package manager or rpm complained of, without what else they print. */
export function complaintOf(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const errors = lines.filter((line) => /^(?:Error:? \S|Problem|error: |RPM: error: |- |warning: %)/.test(line))
  const told = errors.length > 0 ? errors : lines.filter((line) => line !== '').slice(-3)
  return [...new Set(told)]
    .map((line) => line.replace(/^Error: /, '').replace(/^Problem(?: \d+)?: /, ''))
    .join('; ')
    .slice(0, 600)
}

/** Pure: rpm, or zypper, could not have its lock. */
export function isLocked(output: string): boolean {
  return /transaction lock|System management is locked/.test(output)
}

/** Pure: names of packages whose script failed, before or after they were unpacked. What a package leaves behind when it goes is not judged. */
export function failedScripts(output: string): string[] {
  const byDnf = output.matchAll(/Error in (?:PREIN|POSTIN|PRETRANS|POSTTRANS) scriptlet in rpm package (\S+)/g)
  const byRpm = output.matchAll(/%(?:pre|prein|post|pretrans|posttrans)\((\S+)-[^-\s]+-[^-\s]+\)(?: scriptlet failed|"\]:\d+: )/g)
  return [...new Set([...byDnf, ...byRpm].flatMap(([, name]) => name ?? []))]
}
