import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import type { StatePaths } from '../paths.ts'
import { statRegular } from '../resources/regular-file.ts'
import { type HostHands, isRunning, sha256Of } from '../transaction/change.ts'
import { missingParents } from '../transaction/missing-parents.ts'

const saved = z.object({ at: z.string(), sha256: z.string(), mode: z.number(), uid: z.number(), gid: z.number() })
const localFile = z.object({
  path: z.string(),
  /** Of an environment file only these variables are ours; the rest stays its owner's. */
  variables: z.optional(z.array(z.string())),
  /** Units that read the file when they start. */
  restarts: z.array(z.string()),
  saved: z.optional(saved),
  /** That were not there before either, the innermost first. */
  directories: z.optional(z.readonly(z.array(z.string()))),
})
const localUnit = z.object({ unit: z.string(), enabled: z.boolean(), running: z.boolean() })
const localState = z.object({ files: z.array(localFile), units: z.array(localUnit) })

/** A file before nodewave first touched it; `saved` is missing when there was none. */
export type LocalFile = z.infer<typeof localFile>
export type LocalUnit = z.infer<typeof localUnit>

/**
 * The local configuration: everything that nodewave manages on this host, as it was before. What Git names is merged
 * over it, and what Git does not name any more goes back to it.
 */
export type Local = z.infer<typeof localState>

const NO_LOCAL: Local = { files: [], units: [] }

export type ManagedFile = Omit<LocalFile, 'saved' | 'directories'>

/** What a configuration manages. */
export interface Managed {
  readonly files: readonly ManagedFile[]
  readonly units: readonly string[]
}

export const NOTHING_MANAGED: Managed = { files: [], units: [] }

export type Place = { readonly paths: StatePaths; readonly host: HostHands }

export async function readLocal({ paths, host }: Place): Promise<Local> {
  const bytes = await host.files.read(paths.localIndex)
  if (bytes === undefined) return NO_LOCAL
  const result = localState.safeParse(parseJson(bytes))
  if (result.success) return result.data
  // Going on without it would take our own files for the machine's, and lose the way back for ever.
  throw new AgentError(
    `read "${paths.localIndex}": not what the agent wrote; restore it, or remove it to take the host as it is now`,
    {
      kind: 'internal',
      reason: 'LocalConfigurationUnreadable',
    },
  )
}

/**
 * Keeps the original of what is about to become managed. What is managed already keeps the original it has; what is not, and was
 * not touched by us since, is taken as it is now.
 */
export async function captureLocal(managed: Managed, options: Place & { readonly already: Managed }): Promise<Local> {
  const { already, host } = options
  const before = await readLocal(options)
  const known = before.files.filter(({ path }) => already.files.some((file) => file.path === path))
  const fresh = managed.files.filter(({ path }) => !known.some((file) => file.path === path))
  const ours = known.flatMap(({ directories }) => directories ?? [])
  const knownUnits = before.units.filter(({ unit }) => already.units.includes(unit))
  const freshUnits = managed.units.filter((name) => !knownUnits.some(({ unit }) => unit === name))
  const local: Local = {
    files: [...known, ...(await inTurn(fresh, (file) => captureFile(file, { ...options, ours })))],
    units: [...knownUnits, ...(await inTurn(freshUnits, (unit) => captureUnit(unit, host)))],
  }
  if (JSON.stringify(local) !== JSON.stringify(before)) await writeLocal(local, options)
  return local
}

/** Forgets everything but what is still managed: it went back to what it was, and is its owner's again. */
export async function pruneLocal(managed: Managed, place: Place): Promise<void> {
  const before = await readLocal(place)
  const after = {
    files: before.files.filter(({ path }) => managed.files.some((file) => file.path === path)),
    units: before.units.filter(({ unit }) => managed.units.includes(unit)),
  }
  if (after.files.length === before.files.length && after.units.length === before.units.length) return
  await writeLocal(after, place)
  await sweepOriginals(after, place)
}

async function sweepOriginals({ files }: Local, { paths, host }: Place): Promise<void> {
  const kept = new Set(files.map((file) => file.saved?.at))
  for (const name of await host.files.list(`${paths.local}/files`)) {
    const at = `${paths.local}/files/${name}`
    if (!kept.has(at)) await host.files.remove(at)
  }
}

export async function writeLocal(local: Local, { paths, host }: Place): Promise<void> {
  if (local.files.length === 0 && local.units.length === 0) return host.files.remove(paths.local)
  await host.files.writeAtomic(paths.localIndex, Buffer.from(JSON.stringify(local)), { mode: 0o600 })
}

/** @param options.ours directories that are there only because we made them for other files */
export async function captureFile(
  file: ManagedFile,
  { paths, host, ours = [] }: Place & { readonly ours?: readonly string[] },
): Promise<LocalFile> {
  const { path } = file
  const stat = await statRegular(host.files, path)
  const sha256 = stat && (await host.files.sha256(path))
  if (stat === undefined || sha256 === undefined) {
    const directories = await missingParents(path, { files: host.files, ours })
    return directories.length === 0 ? file : { ...file, directories }
  }
  const at = originalPath(path, { sha256, paths })
  await host.files.install(path, at, { mode: 0o600 })
  return { ...file, saved: { at, sha256, mode: stat.mode, uid: stat.uid, gid: stat.gid } }
}

/** Named by content, so that a file taken anew never overwrites what the index still points to. */
export function originalPath(path: string, { sha256, paths }: { readonly sha256: string; readonly paths: StatePaths }): string {
  return `${paths.local}/files/${sha256Of(Buffer.from(path)).slice(0, 12)}-${sha256.slice(0, 20)}`
}

async function captureUnit(unit: string, host: HostHands): Promise<LocalUnit> {
  const state = await host.services.show(unit)
  return { unit, enabled: state.enabled, running: isRunning(state.active) }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}
