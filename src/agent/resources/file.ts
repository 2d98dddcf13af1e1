import { readerOf, unitOfFile } from '../../protocol/file-readers.ts'
import { HOST_SECTIONS, type HostFile } from '../../protocol/host-document.ts'
import { AGENT_UNIT } from '../../protocol/names.ts'
import { AgentError } from '../agent-error.ts'
import type { FileStat, HostFiles, WriteOptions } from '../ports.ts'
import { sha256Of } from '../sha256.ts'
import type { Trigger } from '../state/managed.ts'
import { resolveOwner } from './accounts.ts'
import { defineKind } from './define-kind.ts'
import { type FileBaseline, fileBaselines, recaptureUnless, verifyContent } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { CaptureContext, Kind, Resource, Section } from './kind.ts'
import { reading, statRegular } from './regular-file.ts'

/** What is not named (mode, owner) stays as it is; a file without content should not be there. */
export interface FileSpec extends WriteOptions {
  readonly path: string
  readonly content?: FileContent | undefined
  /** That go with the file, when it should not be there. */
  readonly directories?: readonly string[] | undefined
}

export type FileContent =
  | { readonly bytes: Uint8Array }
  /** A file on this host. */
  | { readonly from: string; readonly sha256: string }

export interface ActualFile {
  readonly stat: FileStat | undefined
  readonly sha256: string | undefined
  readonly bytes: Uint8Array | undefined
}

const section: Section = {
  key: 'files',
  schema: HOST_SECTIONS.files,
  managed: (files: readonly HostFile[]) => ({
    claims: files.map(({ path }) => fileClaim(path)),
    triggers: files.flatMap(({ path }) => readersOf(path)),
  }),
  resources: (specs: readonly HostFile[], files) => Promise.all(specs.map(async (spec) => file.of(await toSpec(spec, files)))),
}

export const file: Kind<FileSpec> = defineKind({
  name: 'file',
  ...fileHands,
  section,
  subject: ({ path }: FileSpec) => path,

  observe: async ({ path, content }, { files }): Promise<ActualFile> => {
    const stat = await statRegular(files, path)
    const isCompared = content !== undefined && 'bytes' in content
    return {
      stat,
      bytes: stat && isCompared ? await reading(files.read(path)) : undefined,
      sha256: stat && !isCompared ? await reading(files.sha256(path)) : undefined,
    }
  },

  differ: ({ content, directories, ...spec }, actual): FileChange | undefined => {
    if (content === undefined) return actual.stat && { do: 'remove', path: spec.path, directories }
    if (hasContent(actual, content) && hasOwnership(actual.stat, spec)) return undefined
    if ('bytes' in content) return { do: 'write', ...spec, bytes: content.bytes }
    return { do: 'install', ...spec, from: content.from }
  },

  // What counts as soon as it is there disturbs as much as a restart.
  disruption: ({ path }) => (readerOf(path) === undefined ? 'none' : 'restart'),

  baseline: { ...fileBaselines, giveBack: giveBackFile, recapture: recaptureFile },
})

/** A unit reads its own file and drop-ins when it starts. The agent's are read when that is started next: it cannot restart itself. */
function readersOf(path: string): Trigger[] {
  const reader = unitOfFile(path)
  return reader === undefined || reader === AGENT_UNIT ? [] : [{ unit: reader, subjects: [path] }]
}

function recaptureFile(
  base: FileBaseline,
  { spec: { content }, context }: { readonly spec: FileSpec; readonly context: CaptureContext },
): Promise<FileBaseline> {
  const ours = content && ('bytes' in content ? sha256Of(content.bytes) : content.sha256)
  return recaptureUnless(base, { isOurs: (sha256) => sha256 === ours, context })
}

export function fileClaim(path: string) {
  return { kind: 'file', key: path }
}

/** A file that nothing names any more is to be as it was: bytes, mode, owner, or not there. */
export async function giveBackFile(base: FileBaseline, files: HostFiles): Promise<Resource> {
  const { path, saved, directories } = base
  if (saved === undefined) return file.of({ path, directories })
  await verifyContent(base, files)
  const { at, sha256, mode, uid, gid } = saved
  return file.of({ path, content: { from: at, sha256 }, mode, uid, gid })
}

export function hasOwnership(actual: Required<WriteOptions> | undefined, wanted: WriteOptions): boolean {
  return (['mode', 'uid', 'gid'] as const).every((key) => wanted[key] === undefined || wanted[key] === actual?.[key])
}

function hasContent(actual: ActualFile, content: FileContent): boolean {
  if (actual.stat === undefined) return false
  if ('bytes' in content) return actual.bytes !== undefined && Buffer.compare(content.bytes, actual.bytes) === 0
  return actual.sha256 === content.sha256
}

async function toSpec(spec: HostFile, files: HostFiles): Promise<FileSpec> {
  const { path, mode, state = 'present' } = spec
  if (state === 'absent') return { path }
  const owner = await resolveOwner(files, spec)
  return { path, content: contentOf(spec), ...(mode === undefined ? {} : { mode: Number.parseInt(mode, 8) }), ...owner }
}

function contentOf({ path, content, contentBase64 }: HostFile): FileContent {
  if (content !== undefined) return { bytes: Buffer.from(content) }
  if (contentBase64 !== undefined) return { bytes: Buffer.from(contentBase64, 'base64') }
  throw new AgentError(`write "${path}": the host document gives it no content; add it, or state: absent`, {
    kind: 'load',
    reason: 'MalformedHostDocument',
  })
}
