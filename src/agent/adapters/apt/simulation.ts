import type { PackageStep } from '../../package-manager.ts'

const INSTALL = /^Inst (\S+) (?:\[(\S+)\] )?\((\S+) .*\[(\S+)\]\)/
const REMOVE = /^(?:Remv|Purg) (\S+) \[(\S+)\]/

/** Pure: reads what `apt-get --simulate` prints. */
export function parseSimulation(output: string): PackageStep[] {
  return output.split('\n').flatMap((line): PackageStep[] => {
    const [, name, from, to, architecture] = INSTALL.exec(line) ?? []
    if (name !== undefined && to !== undefined && architecture !== undefined)
      return [{ name: withoutArchitecture(name), architecture, ...(from === undefined ? {} : { from }), to }]
    const [, removed, version] = REMOVE.exec(line) ?? []
    return removed === undefined ? [] : [{ name: withoutArchitecture(removed), architecture: '', from: version }]
  })
}

/** `libc6:i386`: apt names the architecture where it is not the machine's own. */
function withoutArchitecture(name: string): string {
  return name.replace(/:.*$/, '')
}

/** Pure: what apt or dpkg complained of, without what else they print. */
export function complaintOf(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const errors = lines.filter((line) => /^E: |^dpkg: error|^ ?\S+ : Depends: |^Depends: /.test(line))
  const told = errors.length > 0 ? errors : lines.filter((line) => line !== '').slice(-3)
  return told
    .map((line) => line.replace(/^E: /, ''))
    .join('; ')
    .slice(0, 600)
}

const HOLDER = /It is held by process (\d+) \(([^)]*)\)/
/** Only as the error that ended it: apt also tells that it waits for a lock, and goes on. */
const LOCKED =
  /^(?:E: |dpkg: error: ).*(?:Could not get lock|Unable to acquire the dpkg frontend lock|lock was locked by another)/m

/** Pure: who kept apt from its lock, if that is what it complained of. */
export function lockHolderIn(output: string): string | undefined {
  if (!LOCKED.test(output)) return undefined
  const [, pid, name] = HOLDER.exec(output) ?? []
  return pid === undefined ? 'another process' : `${name} (pid ${pid})`
}

const UNKNOWN =
  /Unable to locate package|was not found|has no installation candidate|is not available|can't find|couldn't find any package/i

/** Pure: apt does not know the package, or not in this version. */
export function isUnknownPackage(output: string): boolean {
  return UNKNOWN.test(output)
}
