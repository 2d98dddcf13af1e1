import type { Artifact } from '../../protocol/host-document.ts'
import { AgentError, asAgentError } from '../agent-error.ts'
import type { StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { StagePlace } from '../resources/kind.ts'
import { shownUrl } from '../shown-url.ts'
import { type Manifest, manifestSchema } from './unpack.ts'

export interface ArchiveSource {
  readonly artifact: Artifact
  readonly strip: number
}

const MAX_ARCHIVE = 512 * 1024 * 1024

/** Downloads an archive and unpacks it into the store, and writes down what it holds. The archive itself is not kept. */
export async function bringArchive({ artifact, strip }: ArchiveSource, { ports, paths, signal }: StagePlace): Promise<void> {
  const at = `${paths.staging}/archive-${artifact.sha256}`
  await ports.downloads.fetch(artifact, at, { maxBytes: MAX_ARCHIVE, mode: 0o600, signal }).catch((cause: unknown) => {
    throw asAgentError(cause, { kind: 'download', reason: 'DownloadFailed' })
  })
  const manifest = await ports.archives.unpack(at, paths.store, { strip, signal }).catch((cause: unknown) => {
    throw signal.aborted ? cause : refused(artifact, cause)
  })
  await ports.files.writeAtomic(manifestAt(paths, { artifact, strip }), Buffer.from(JSON.stringify(manifest)), { mode: 0o600 })
  await ports.files.remove(at)
}

export async function hasManifest(source: ArchiveSource, place: ManifestPlace): Promise<boolean> {
  return (await manifestOf(source, place)) !== undefined
}

/** @throws {AgentError} when it was never brought: an assignment brings it before the host is compared with it */
export async function readManifest(source: ArchiveSource, place: ManifestPlace): Promise<Manifest> {
  const manifest = await manifestOf(source, place)
  if (manifest !== undefined) return manifest
  const { paths } = place
  throw new AgentError(
    `read what "${shownUrl(source.artifact.url)}" holds: "${manifestAt(paths, source)}" is missing or damaged; assign something new to have it brought again`,
    { kind: 'internal', reason: 'ManifestMissing' },
  )
}

interface ManifestPlace {
  readonly files: HostFiles
  readonly paths: StatePaths
}

async function manifestOf(source: ArchiveSource, { files, paths }: ManifestPlace): Promise<Manifest | undefined> {
  const bytes = await files.read(manifestAt(paths, source))
  const read = manifestSchema.safeParse(bytes && parseJson(bytes))
  return read.success ? read.data : undefined
}

function manifestAt({ store }: StatePaths, { artifact, strip }: ArchiveSource): string {
  return `${store}/${artifact.sha256}-${strip}.json`
}

/** The same archive is refused again whenever it is tried: its checksum says that it is the one that was meant. */
function refused({ url }: Artifact, cause: unknown): AgentError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof AgentError || isOfDisk(cause)
    ? asAgentError(cause, { kind: 'sync', reason: 'ApplyFailed' })
    : new AgentError(`unpack "${shownUrl(url)}": ${why}`, { kind: 'validate', reason: 'ArchiveRefused', cause })
}

/** Errors of the file system have a call; those of a decompressor have a code only. */
function isOfDisk(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}
