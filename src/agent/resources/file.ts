import { readerOf } from '../../protocol/file-readers.ts'
import { type Artifact, HOST_SECTIONS, type HostFile } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import type { StatePaths } from '../paths.ts'
import type { FileStat, HostFiles, WriteOptions } from '../ports.ts'
import { sha256Of } from '../sha256.ts'
import type { Managed } from '../state/managed.ts'
import { resolveOwner } from './accounts.ts'
import { artifactFor } from './artifact-for.ts'
import { bringOrigin, isStored, type Origin, storedAt } from './bring-origin.ts'
import { defineKind } from './define-kind.ts'
import { type FileBaseline, fileBaselines, recaptureUnless, verifyContent, wholeFileBaseline } from './file-baseline.ts'
import { type FileChange, fileHands, hasOwnership } from './file-hands.ts'
import { readersOf } from './file-triggers.ts'
import type { CaptureContext, Kind, Resource, Section, SectionPlace } from './kind.ts'
import { directoriesToRemove } from './missing-parents.ts'
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
  /** A file on this host. With an origin it is in the store, or is brought there before anything is disturbed. */
  | { readonly from: string; readonly sha256: string; readonly origin?: Origin }

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
  resources: (specs: readonly HostFile[], _, place) => Promise.all(specs.map(async (spec) => file.of(await toSpec(spec, place)))),
}

/** How a file is written whose content does not stand in the assignment. */
type StoredChange = FileChange & { readonly sha256?: string; readonly origin?: Origin }

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

  differ: ({ content, directories, ...spec }, actual): StoredChange | undefined => {
    if (content === undefined) return actual.stat && { do: 'remove', path: spec.path, directories }
    if (hasContent(actual, content) && hasOwnership(actual.stat, spec)) return undefined
    if ('bytes' in content) return { do: 'write', ...spec, bytes: content.bytes }
    return { do: 'install', ...spec, ...content }
  },

  stage: async (change: StoredChange, context) => {
    if (change.do === 'install' && change.origin) await bringOrigin(change, change.origin, context)
  },

  perform: async (change: StoredChange, host) => {
    if (change.do === 'install' && change.origin && !(await isStored(change, host.files))) throw lost(change)
    await fileHands.perform(change, host)
  },

  // What counts as soon as it is there disturbs as much as a restart.
  disruption: ({ path }) => (readerOf(path) === undefined ? 'none' : 'restart'),

  baseline: { ...fileBaselines, takesOver: wholeFileBaseline, giveBack: giveBackFile, recapture: recaptureFile },
})

/** What the store does not have any more is brought again with the next assignment. */
function lost({ path, from }: { readonly path: string; readonly from: string }): Error {
  return new Error(`write "${path}": its content "${from}" is missing or damaged; assign something new to have it brought again`)
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
export async function giveBackFile(base: FileBaseline, files: HostFiles, managed: Managed): Promise<Resource> {
  const { path, saved, directories } = base
  if (saved === undefined) return file.of({ path, directories: directoriesToRemove(directories, managed) })
  await verifyContent(base, files)
  const { at, sha256, mode, uid, gid } = saved
  return file.of({ path, content: { from: at, sha256 }, mode, uid, gid })
}

function hasContent(actual: ActualFile, content: FileContent): boolean {
  if (actual.stat === undefined) return false
  if ('bytes' in content) return actual.bytes !== undefined && Buffer.compare(content.bytes, actual.bytes) === 0
  return actual.sha256 === content.sha256
}

async function toSpec(spec: HostFile, place: SectionPlace): Promise<FileSpec> {
  const { path, mode, state = 'present' } = spec
  if (state === 'absent') return { path }
  const owner = await resolveOwner(place.files, spec)
  return { path, content: contentOf(spec, place), ...(mode === undefined ? {} : { mode: Number.parseInt(mode, 8) }), ...owner }
}

function contentOf({ path, content, contentBase64, download }: HostFile, { arch, paths }: SectionPlace): FileContent {
  if (download !== undefined) return storedContent(artifactFor(download, { arch, what: path }), paths)
  if (content !== undefined) return { bytes: Buffer.from(content) }
  if (contentBase64 !== undefined) return { bytes: Buffer.from(contentBase64, 'base64') }
  throw new AgentError(`write "${path}": the host document gives it no content; add it, or state: absent`, {
    kind: 'load',
    reason: 'MalformedHostDocument',
  })
}

function storedContent(artifact: Artifact, paths: StatePaths): FileContent {
  return { from: storedAt(paths, artifact.sha256), sha256: artifact.sha256, origin: { url: artifact } }
}
