import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import type { StatePaths } from '../paths.ts'
import type { FileStat, HostFiles } from '../ports.ts'
import { sha256Of } from '../sha256.ts'
import type { Claim } from '../state/managed.ts'
import type { BoundBaseline, CaptureContext, KeptContent } from './kind.ts'
import { missingParents } from './missing-parents.ts'
import { reading, statRegular } from './regular-file.ts'

const saved = z.object({ at: z.string(), sha256: z.string(), mode: z.number(), uid: z.number(), gid: z.number() })

const fileBaseline = z.object({
  path: z.string(),
  /** Of an environment file only these variables are ours; the rest stays its owner's. */
  variables: z.optional(z.readonly(z.array(z.string()))),
  /** Missing when there was no file. */
  saved: z.optional(saved),
  /** That were not there before either, the innermost first. */
  directories: z.optional(z.readonly(z.array(z.string()))),
})

/** A file before nodewave first touched it. */
export type FileBaseline = z.infer<typeof fileBaseline>

/** Pure: of a file of which all was ours or theirs. @returns undefined when only variables of it were ours */
export function wholeFileBaseline(record: object): FileBaseline | undefined {
  const read = fileBaseline.safeParse(record)
  return read.success && read.data.variables === undefined ? read.data : undefined
}

/** What all kinds that are one file have in common. Two of them never manage one path at a time, but one after the other. */
export const fileBaselines = {
  collection: 'files',
  schema: fileBaseline,
  key: ({ path }: FileBaseline): string => path,
  content: (base: FileBaseline): KeptContent | undefined => base.saved,
  directories: ({ directories = [] }: FileBaseline): readonly string[] => directories,
  capture: captureFile,
}

export async function captureFile({ key: path, variables }: Claim, context: CaptureContext): Promise<FileBaseline> {
  const { host, paths, ours } = context
  const about = { path, ...(variables === undefined ? {} : { variables }) }
  const stat = await statRegular(host.files, path)
  const sha256 = stat && (await reading(host.files.sha256(path)))
  if (stat === undefined || sha256 === undefined) {
    const directories = await missingParents(path, { files: host.files, ours })
    return directories.length === 0 ? about : { ...about, directories }
  }
  const at = contentPath(path, { sha256, paths })
  await host.files.install(path, at, { mode: 0o600 })
  return { ...about, saved: { at, sha256, mode: stat.mode, uid: stat.uid, gid: stat.gid } }
}

/** The file as it is now, when it is neither ours nor what it was. One that is missing says nothing: its disk may not be mounted yet. */
export async function recaptureUnless(
  base: FileBaseline,
  { isOurs, context }: { readonly isOurs: (sha256: string) => boolean; readonly context: CaptureContext },
): Promise<FileBaseline> {
  const { files } = context.host
  const sha256 = (await statRegular(files, base.path)) && (await reading(files.sha256(base.path)))
  if (sha256 === undefined || sha256 === base.saved?.sha256 || isOurs(sha256)) return base
  return captureFile({ kind: 'file', key: base.path, variables: base.variables }, context)
}

/** Keeps a content that no file on the host has: what one would be without what is ours in it. */
export async function keepContent(
  path: string,
  { bytes, stat, context }: { readonly bytes: Uint8Array; readonly stat: FileStat; readonly context: CaptureContext },
): Promise<NonNullable<FileBaseline['saved']>> {
  const sha256 = sha256Of(bytes)
  const at = contentPath(path, { sha256, paths: context.paths })
  await context.host.files.writeAtomic(at, bytes, { mode: 0o600 })
  return { at, sha256, mode: stat.mode, uid: stat.uid, gid: stat.gid }
}

/** Named by content, so that a file captured again never overwrites what the index still points to. */
function contentPath(path: string, { sha256, paths }: { readonly sha256: string; readonly paths: StatePaths }): string {
  return `${paths.baselineContents}/${sha256Of(Buffer.from(path)).slice(0, 12)}-${sha256.slice(0, 20)}`
}

/**
 * What the file had in it.
 * @returns undefined when there was no file.
 * @throws {AgentError} when the content is not what was kept: going on without it would take the machine's own settings away.
 */
export async function contentOf({ path, saved: kept }: FileBaseline, files: HostFiles): Promise<Uint8Array | undefined> {
  return kept && readContent(path, { content: kept, files })
}

async function readContent(
  path: string,
  { content, files }: { readonly content: KeptContent; readonly files: HostFiles },
): Promise<Uint8Array> {
  const bytes = await files.read(content.at)
  if (bytes !== undefined && sha256Of(bytes) === content.sha256) return bytes
  throw damaged(path, content)
}

/** The same of a baseline of any kind that is a file. */
export async function baselineContent({ key, content }: BoundBaseline, files: HostFiles): Promise<Uint8Array | undefined> {
  return content && readContent(key, { content, files })
}

/** The same for what is too large to hold in memory. */
export async function verifyContent({ path, saved: kept }: FileBaseline, files: HostFiles): Promise<void> {
  if (kept !== undefined && (await files.sha256(kept.at)) !== kept.sha256) throw damaged(path, kept)
}

function damaged(path: string, { at }: KeptContent): AgentError {
  return new AgentError(
    `read the baseline of "${path}": "${at}" is missing or damaged; restore it, or run "nodewave agent rebase" to take the file as it is now`,
    { kind: 'internal', reason: 'BaselineDamaged' },
  )
}
