import type { Artifact } from '../../protocol/host-document.ts'
import { asAgentError } from '../agent-error.ts'
import { type ArchiveSource, bringArchive } from '../archive/bring-archive.ts'
import type { StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { StagePlace } from './kind.ts'

/** Where a file of the store comes from. */
export type Origin = { readonly url: Artifact } | { readonly archive: ArchiveSource }

/** As much as is taken of any download. */
export const MAX_DOWNLOAD = 512 * 1024 * 1024

/** By content: what two assignments name is there once. */
export function storedAt({ store }: Pick<StatePaths, 'store'>, sha256: string): string {
  return `${store}/${sha256}`
}

interface Stored {
  readonly from: string
  readonly sha256?: string
}

export async function isStored({ from, sha256 }: Stored, files: HostFiles): Promise<boolean> {
  return (await files.sha256(from)) === sha256
}

/** Has the file in the store. */
export async function bringOrigin(stored: Stored, origin: Origin, context: StagePlace): Promise<void> {
  const { ports, signal } = context
  if (await isStored(stored, ports.files)) return
  if ('archive' in origin) return bringArchive(origin.archive, context)
  const options = { maxBytes: MAX_DOWNLOAD, mode: 0o600, signal }
  await ports.downloads.fetch(origin.url, stored.from, options).catch((cause: unknown) => {
    throw asAgentError(cause, { kind: 'download', reason: 'DownloadFailed' })
  })
}
