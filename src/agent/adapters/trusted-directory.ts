import type { Stats } from 'node:fs'
import { AgentError, UNSAFE_PATH } from '../agent-error.ts'

/** Group and others. An access control list for somebody else shows in the bits of the group. */
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/** Root, and whoever runs the agent: below a `--root` that need not be root. */
export function isOwnerTrusted({ uid }: Stats): boolean {
  return uid === 0 || uid === process.geteuid?.()
}

/** As /tmp: everybody may make names in it, and nobody may take those of others. */
export function isSharedDirectory({ mode }: Stats): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) !== 0
}

/** @throws {AgentError} when others than root could exchange what is in the directory */
export function refuseDirectory(stats: Stats, { directory, path }: { readonly directory: string; readonly path: string }): void {
  const { uid, mode } = stats
  if (!isOwnerTrusted(stats))
    throw unsafe(path, `uid ${uid} owns the directory "${directory}" and can redirect the agent; run: chown root: ${directory}`)
  if ((mode & WRITABLE_BY_OTHERS) !== 0 && !isSharedDirectory(stats))
    throw unsafe(
      path,
      `others than root may write the directory "${directory}" (mode ${(mode & 0o7777).toString(8)}) and can redirect the agent; run: chmod go-w ${directory}`,
    )
}

/** @throws {AgentError} always */
export function refuseEntry(stats: Stats, { entry, path }: { readonly entry: string; readonly path: string }): never {
  const what = stats.isSymbolicLink() ? 'a symbolic link' : 'there'
  throw unsafe(
    path,
    `"${entry}" is ${what}, of uid ${stats.uid}, and others than root may have made it; remove it, or name another path`,
  )
}

/** @throws {AgentError} always */
export function refuseKernelLink(entry: string, path: string): never {
  throw unsafe(path, `"${entry}" is a link that the kernel makes for each process; name the file by its own path`)
}

function unsafe(path: string, why: string): AgentError {
  return new AgentError(`use "${path}": ${why}`, { kind: 'validate', reason: UNSAFE_PATH })
}
